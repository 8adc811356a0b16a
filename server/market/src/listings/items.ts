import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { preflightListing } from '@ordbook/contract/listings.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import type { BindingRow } from '../auth/queries.ts'
import { type CollectionRow, listMembers } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { listEscrowsOf } from '../escrows/queries.ts'
import { assertUnique } from '../preflight/duplicates.ts'

/** The items of a listing request. */
type Items = Pick<BodyOf<typeof preflightListing>, 'items'>

/** Throws invalid unless the items are of the collection, each named once and at an allowed price. */
export async function checkItems({ sql, config }: Context, collection: CollectionRow, { items }: Items) {
  const ids = items.map((item) => item.inscriptionId)
  assertUnique(ids, 'inscriptionId', 'items')
  for (const { inscriptionId, priceSats } of items)
    if (priceSats < config.listingMinSats)
      throw invalid(
        'price-out-of-range',
        `items: ${inscriptionId} is priced below the minimum of ${config.listingMinSats} sats`,
      )
  const members = await listMembers(sql, collection.collectionId, ids)
  const [stranger] = ids.filter((id) => !members.has(id))
  if (stranger)
    throw invalid('not-in-collection', `items: ${stranger} is not in the collection ${collection.slug}`)
}

/** Rejects inscriptions in their owner's escrow; these are relisted there. Throws conflict with a separate code. */
export async function assertNotInEscrow(
  { sql }: Context,
  { ordinalsScript }: BindingRow,
  { items }: Items,
): Promise<void> {
  const ids = items.map((item) => item.inscriptionId)
  const [escrow] = await listEscrowsOf(sql, ids, ordinalsScript)
  if (escrow)
    throw conflict(
      'inscription-in-escrow',
      `${escrow.inscriptionId} is in escrow ${formatOutpoint(escrow)}: list it there (POST /escrows/relist/preflight)`,
    )
}
