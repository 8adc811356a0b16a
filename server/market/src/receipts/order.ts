import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getOrder as orderOperation } from '@ordbook/contract/record.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { listOrderEvents } from '../listings/log-queries.ts'
import { listListingsById } from '../listings/queries.ts'

export async function getOrder(
  { reads }: Pick<Context, 'reads'>,
  listingId: string,
): Promise<AnswerOf<typeof orderOperation>> {
  const [listing] = await listListingsById(reads, [listingId])
  if (!listing) throw missing('listing-unknown', `Listing ${listingId} not found.`)
  const { inscriptionId, priceSats, state, transferTxid } = listing
  const events = await listOrderEvents(reads, listing.listingId)
  return {
    listingId: listing.listingId,
    inscriptionId,
    priceSats,
    state,
    transferTxid,
    events: events.map(({ fromState, toState, reason, guarantee, height, occurredAt }) => ({
      at: occurredAt.toISOString(),
      from: fromState,
      to: toState,
      reason,
      guarantee,
      blockHeight: height,
    })),
  }
}
