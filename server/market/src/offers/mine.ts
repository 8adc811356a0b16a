import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type {
  HistoryEventAnswer,
  listMyOffers as listOperation,
  OwnedGroupAnswer,
  ProfileOfferRowAnswer,
} from '@ordbook/contract/my-offers.ts'
import type { Context } from '../context.ts'
import type { PagedUseCase } from '../use-case.ts'
import { answerOf, statusOf } from './browse.ts'
import {
  type EventLine,
  findOwn,
  listEvents,
  listReceived,
  listSent,
  type ReceivedLine,
} from './browse-queries.ts'
import {
  membersOf,
  type Rendered,
  type RenderedItem,
  type RenderedOffer,
  readTexts,
  withTexts,
} from './rendered-offer.ts'
import type { OfferLine } from './rendered-queries.ts'

const PAGE = 25

/** The offers of a profile's wallets: received, sent, and their events. */
export const listMyOffers: PagedUseCase<typeof listOperation> = async (
  context,
  cursors,
  { session, query: { view = 'owned', cursor } },
) => {
  const { reads, clock } = context
  const scope = ['my-offers', session.profileId, view]
  const now = clock()
  const own = await findOwn(reads, session.profileId, now)
  const { scripts, receivedCount, countersCount, ownedCount, sentCount } = own
  const membersWith = <T>(rows: readonly T[], keysOf: (last: T) => readonly (string | number)[]) => {
    const hasMore = rows.length > PAGE
    const nextCursor = hasMore ? cursors.encode(scope, keysOf(rows[PAGE - 1]!)) : null
    const actionableCount = receivedCount + countersCount
    return { view, actionableCount, ownedCount, sentCount, hasMore, nextCursor }
  }

  if (view === 'sent') {
    const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'uuid' }])
    const after = keys && { createdAt: keys[0], offerId: keys[1] }
    const found = await listSent(reads, scripts, { now, after, rows: PAGE + 1 })
    const lines = await withTexts(context, found.slice(0, PAGE))
    const members = membersWith(found, (line) => [line.createdAtText, line.offerId])
    const rows = lines.map((line) =>
      describe(line, line.kind === 'buyer_offer' ? 'sent' : 'received', line.buyerBindingId, now),
    )
    return answerOf(members, 'rows', rows)
  }
  if (view === 'history') {
    const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'bigint' }])
    const after = keys && { occurredAt: keys[0], eventId: keys[1] }
    const found = await listEvents(reads, scripts, { after, rows: PAGE + 1 })
    const lines = await withTexts(context, found.slice(0, PAGE))
    const members = membersWith(found, (line) => [line.occurredAtText, line.eventId])
    const events = lines.map((line) => JSON.stringify(describeEvent(line, now)))
    return answerOf(members, 'events', events)
  }
  const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'text' }])
  const after = keys && { newest: keys[0], inscriptionId: keys[1] }
  const found = await listReceived(reads, scripts, { now, after, rows: PAGE + 1 })
  const pages = [...Map.groupBy(found, (line) => line.inscriptionId).values()]
  const members = membersWith(pages, ([first]) => [first!.newestText, first!.inscriptionId])
  return answerOf(members, 'groups', await describeGroups(context, own, pages.slice(0, PAGE), now))
}

async function describeGroups(
  context: Context,
  { scripts, bindingIds }: { scripts: readonly Uint8Array[]; bindingIds: readonly string[] },
  groups: readonly (readonly ReceivedLine[])[],
  now: Date,
): Promise<string[]> {
  const lines = Map.groupBy(await withTexts(context, groups.flat()), (line) => line.inscriptionId)
  return [...lines.values()].map((group) => {
    const script = group[0]!.sellerScript
    const binding = bindingIds[scripts.findIndex((each) => equalBytes(each, script))]!
    return describeGroup(group, addressOfScript(script, context.config.addressNetwork)!, binding, now)
  })
}

function describeGroup(
  lines: readonly Rendered<ReceivedLine>[],
  ownerAddress: string,
  binding: string,
  now: Date,
): string {
  const offers = lines.filter((line) => line.kind === 'buyer_offer')
  const counters = lines.filter((line) => line.kind === 'seller_counter')
  const earliest = Math.min(...lines.map((line) => line.expiresAt.getTime()))
  const members: Omit<OwnedGroupAnswer, keyof RenderedItem | 'offers' | 'sentCounters'> = {
    ownerAddress,
    actionBindingId: binding,
    topOfferSats: offers[0]?.priceSats ?? null,
    activeOfferCount: offers.length,
    activeCounterCount: counters.length,
    earliestExpiresAt: new Date(earliest).toISOString(),
  }
  const received = offers.map((line) => describe(line, 'received', binding, now))
  const sent = counters.map((line) => describe(line, 'sent', binding, now))
  return `{${lines[0]!.itemText},${membersOf(members)},"offers":[${received}],"sentCounters":[${sent}]}`
}

function describe(
  line: Rendered<OfferLine>,
  side: 'received' | 'sent',
  actionBindingId: string | null,
  now: Date,
): string {
  const received = line.kind === 'buyer_offer' ? 'seller_received_buyer_offer' : 'buyer_received_counter'
  const members: Omit<ProfileOfferRowAnswer, keyof RenderedOffer | keyof RenderedItem> = {
    executable: line.executable,
    status: statusOf(line, now),
    side,
    actionKind: side === 'sent' ? null : received,
    actionBindingId,
  }
  return `{${line.offerText},${line.itemText},${membersOf(members)}}`
}

function describeEvent(line: Rendered<EventLine>, now: Date): HistoryEventAnswer {
  const offer = readTexts(line)
  const maker = line.kind === 'buyer_offer' ? 'buyer' : 'seller'
  const accepted = line.state === 'accepted'
  return {
    eventKey: `${line.offerId}:${line.eventType}`,
    eventType: line.eventType,
    role: line.role,
    offerId: line.offerId,
    parentOfferId: line.parentOfferId,
    kind: line.kind,
    status: statusOf(line, now),
    side: line.role === maker ? 'sent' : 'received',
    inscriptionId: offer.inscriptionId,
    inscriptionNumber: offer.inscriptionNumber,
    inscriptionTitle: offer.inscriptionTitle,
    buyerAddress: offer.buyerAddress,
    sellerAddress: offer.sellerAddress,
    priceSats: offer.priceSats,
    occurredAt: line.occurredAt.toISOString(),
    createdAt: offer.createdAt,
    expiresAt: offer.expiresAt,
    settlementTxid: accepted ? line.settlementTxid : null,
    payoutTxid: accepted ? line.payoutTxid : null,
  }
}
