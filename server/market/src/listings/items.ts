import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { preflightListing } from '@ordbook/contract/listings.ts'
import type { BodyOf } from '@ordbook/contract/operation.ts'
import { conflict, invalid } from '@ordbook/db/process/errors.ts'
import type { BindingRow } from '../auth/queries.ts'
import { type CollectionRow, listMembers } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { listEscrowsOf } from '../escrows/queries.ts'
import { assertUnique } from '../preflight/duplicates.ts'

type Items = Pick<BodyOf<typeof preflightListing>, 'items'>

/** Throws `invalid` unless the items are distinct, in the collection and above the minimum price. */
export async function checkItems({ sql, config }: Context, collection: CollectionRow, { items }: Items) {
  const ids = items.map((item) => item.inscriptionId)
  assertUnique(ids, 'inscriptionId', 'items')
  for (const { inscriptionId, priceSats } of items)
    if (priceSats < config.listingMinSats)
      throw invalid(
        'price-out-of-range',
        `items: the price of ${inscriptionId} is below the minimum of ${config.listingMinSats} sats`,
      )
  const members = await listMembers(sql, collection.collectionId, ids)
  const [nonMember] = ids.filter((id) => !members.has(id))
  if (nonMember)
    throw invalid('not-in-collection', `items: ${nonMember} is not in collection ${collection.slug}`)
}

/** Throws `conflict` for an inscription in escrow, which must be relisted from there. */
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
      `${escrow.inscriptionId} is in escrow coin ${formatOutpoint(escrow)}. Relist it from escrow (POST /escrows/relist/preflight).`,
    )
}
