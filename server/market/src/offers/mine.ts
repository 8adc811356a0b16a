import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type {
  HistoryEventAnswer,
  listMyOffers as listOperation,
  OwnedGroupAnswer,
  ProfileOfferRowAnswer,
} from '@ordbook/contract/my-offers.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { jsonListOf, jsonOf, type RawJson, withMembers } from '@ordbook/http/responses/raw-json.ts'
import type { Context } from '../context.ts'
import type { PagedUseCase } from '../use-case.ts'
import { statusOf } from './browse.ts'
import {
  type EventLine,
  findOwn,
  listEvents,
  listReceived,
  listSent,
  type ReceivedLine,
} from './browse-queries.ts'
import { MAKERS } from './queries.ts'
import { type Rendered, type RenderedItem, type RenderedOffer, withRendered } from './rendered-offer.ts'
import type { OfferLine } from './rendered-queries.ts'

const PAGE = 25

type Answer = AnswerOf<typeof listOperation>
type View<Name extends Answer['view']> = Extract<Answer, { view: Name }>

/** Returns a page of the caller's offers: received, sent, or their events. */
export const listMyOffers: PagedUseCase<typeof listOperation> = async (
  context,
  cursors,
  { session, query: { view = 'owned', cursor } },
) => {
  const { reads, clock } = context
  const scope = ['my-offers', session.profileId, view]
  const now = clock()
  const wallets = await findOwn(reads, session.profileId, now)
  const { scripts, receivedCount, countersCount, ownedCount, sentCount } = wallets
  const membersWith = <T>(rows: readonly T[], keysOf: (last: T) => readonly (string | number)[]) => {
    const hasMore = rows.length > PAGE
    const nextCursor = hasMore ? cursors.encode(scope, keysOf(rows[PAGE - 1]!)) : null
    const actionableCount = receivedCount + countersCount
    return { actionableCount, ownedCount, sentCount, hasMore, nextCursor }
  }

  if (view === 'sent') {
    const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'uuid' }])
    const after = keys && { createdAt: keys[0], offerId: keys[1] }
    const found = await listSent(reads, scripts, { now, after, rows: PAGE + 1 })
    const lines = await withRendered(context, found.slice(0, PAGE))
    const members = membersWith(found, (line) => [line.createdAtText, line.offerId])
    const rows = lines.map((line) =>
      describe(line, MAKERS[line.kind] === 'buyer' ? 'sent' : 'received', line.buyerBindingId, now),
    )
    return jsonOf<View<'sent'>>({ view, ...members, rows: jsonListOf(rows) }).toBuffer()
  }
  if (view === 'history') {
    const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'bigint' }])
    const after = keys && { occurredAt: keys[0], eventId: keys[1] }
    const found = await listEvents(reads, scripts, { after, rows: PAGE + 1 })
    const lines = await withRendered(context, found.slice(0, PAGE))
    const members = membersWith(found, (line) => [line.occurredAtText, line.eventId])
    const events = lines.map((line) => describeEvent(line, now))
    return jsonOf<View<'history'>>({ view, ...members, events }).toBuffer()
  }
  const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'text' }])
  const after = keys && { newest: keys[0], inscriptionId: keys[1] }
  const found = await listReceived(reads, scripts, { now, after, rows: PAGE + 1 })
  const pages = [...Map.groupBy(found, (line) => line.inscriptionId).values()]
  const members = membersWith(pages, ([first]) => [first!.newestText, first!.inscriptionId])
  const groups = await describeGroups(context, wallets, pages.slice(0, PAGE), now)
  return jsonOf<View<'owned'>>({ view, ...members, groups: jsonListOf(groups) }).toBuffer()
}

async function describeGroups(
  context: Context,
  { scripts, bindingIds }: { scripts: readonly Uint8Array[]; bindingIds: readonly string[] },
  groups: readonly (readonly ReceivedLine[])[],
  now: Date,
): Promise<RawJson<OwnedGroupAnswer>[]> {
  const lines = Map.groupBy(await withRendered(context, groups.flat()), (line) => line.inscriptionId)
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
): RawJson<OwnedGroupAnswer> {
  const offers = lines.filter((line) => MAKERS[line.kind] === 'buyer')
  const counters = lines.filter((line) => MAKERS[line.kind] === 'seller')
  const earliest = Math.min(...lines.map((line) => line.expiresAt.getTime()))
  const members = jsonOf<Omit<OwnedGroupAnswer, keyof RenderedItem>>({
    ownerAddress,
    actionBindingId: binding,
    topOfferSats: offers[0]?.priceSats ?? null,
    activeOfferCount: offers.length,
    activeCounterCount: counters.length,
    earliestExpiresAt: new Date(earliest).toISOString(),
    offers: jsonListOf(offers.map((line) => describe(line, 'received', binding, now))),
    sentCounters: jsonListOf(counters.map((line) => describe(line, 'sent', binding, now))),
  })
  return withMembers(lines[0]!.item, members)
}

function describe(
  line: Rendered<OfferLine>,
  side: 'received' | 'sent',
  actionBindingId: string | null,
  now: Date,
): RawJson<ProfileOfferRowAnswer> {
  const received = MAKERS[line.kind] === 'buyer' ? 'seller_received_buyer_offer' : 'buyer_received_counter'
  const members: Omit<ProfileOfferRowAnswer, keyof RenderedOffer | keyof RenderedItem> = {
    executable: line.executable,
    status: statusOf(line, now),
    side,
    actionKind: side === 'sent' ? null : received,
    actionBindingId,
  }
  return withMembers(withMembers(line.offer, line.item), members)
}

function describeEvent(line: Rendered<EventLine>, now: Date): HistoryEventAnswer {
  const offer: RenderedOffer = JSON.parse(line.offer.text)
  const item: RenderedItem = JSON.parse(line.item.text)
  const maker = MAKERS[line.kind]
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
    inscriptionId: item.inscriptionId,
    inscriptionNumber: item.inscriptionNumber,
    inscriptionTitle: item.inscriptionTitle,
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
