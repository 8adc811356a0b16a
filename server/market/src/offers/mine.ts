import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type {
  HistoryEventAnswer,
  listMyOffers as listOperation,
  OwnedGroupAnswer,
  ProfileOfferRowAnswer,
} from '@ordbook/contract/my-offers.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { KeyType, KeyValuesOf } from '@ordbook/db/driver/order.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
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
  type Own,
  type ReceivedLine,
} from './browse-queries.ts'
import { MAKERS } from './queries.ts'
import { type Rendered, type RenderedItem, type RenderedOffer, withRendered } from './rendered-offer.ts'
import type { OfferLine } from './rendered-queries.ts'

const PAGE = 25

type Answer = AnswerOf<typeof listOperation>
type ViewOf<Name extends Answer['view']> = Extract<Answer, { view: Name }>

/** Returns a page of the caller's offers: received, sent, or their events. */
export const listMyOffers: PagedUseCase<typeof listOperation> = async (
  context,
  cursors,
  { session: { profileId }, query: { view = 'owned', cursor } },
) => {
  const { reads, responses, clock } = context
  const scope = ['my-offers', profileId, view]
  return responses.read([...scope, cursor], clock, async () => {
    const now = clock()
    const wallets = await findOwn(reads, profileId, now)
    const { receivedCount, countersCount, ownedCount, sentCount } = wallets
    const { body, expiries } = await PAGES[view]({
      context,
      wallets,
      now,
      keysOf: (types) => cursors.decode(scope, cursor, types),
      membersOf: (rows, keysOf) => {
        const hasMore = rows.length > PAGE
        const nextCursor = hasMore ? cursors.encode(scope, keysOf(rows[PAGE - 1]!)) : null
        const actionableCount = receivedCount + countersCount
        return { actionableCount, ownedCount, sentCount, hasMore, nextCursor }
      },
    })
    const validUntil = earliest(wallets.nextExpiryAt, ...expiries.filter((at) => at > now))
    return { body, tags: ['offers', `p:${profileId}`], validUntil }
  })
}

interface PageOfOffers {
  context: Context
  wallets: Own
  now: Date
  /** Returns the cursor's keys, or null on the first page. Throws `invalid`. */
  keysOf<const Keys extends readonly { type: KeyType }[]>(types: Keys): KeyValuesOf<Keys> | null
  /** Returns the members that all views have. */
  membersOf<T>(rows: readonly T[], keysOf: (last: T) => readonly (string | number)[]): Members
}
type Members = Pick<Answer, 'actionableCount' | 'ownedCount' | 'sentCount' | 'hasMore' | 'nextCursor'>

interface View {
  body: Buffer
  /** When offers of the page expire or expired. */
  expiries: Date[]
}

const expiriesOf = (lines: readonly OfferLine[]) => lines.map((line) => line.expiresAt)

const PAGES: Record<Answer['view'], (page: PageOfOffers) => Promise<View>> = {
  async sent({ context, wallets, now, keysOf, membersOf }) {
    const keys = keysOf([{ type: 'timestamptz' }, { type: 'uuid' }])
    const after = keys && { createdAt: keys[0], offerId: keys[1] }
    const found = await listSent(context.reads, wallets.scripts, { now, after, rows: PAGE + 1 })
    const lines = await withRendered(context, found.slice(0, PAGE))
    const members = membersOf(found, (line) => [line.createdAtText, line.offerId])
    const rows = lines.map((line) =>
      describe(line, MAKERS[line.kind] === 'buyer' ? 'sent' : 'received', line.buyerBindingId, now),
    )
    const { text } = jsonOf<ViewOf<'sent'>>({ view: 'sent', ...members, rows: jsonListOf(rows) })
    return { body: Buffer.from(text), expiries: expiriesOf(lines) }
  },
  async history({ context, wallets, now, keysOf, membersOf }) {
    const keys = keysOf([{ type: 'timestamptz' }, { type: 'bigint' }])
    const after = keys && { occurredAt: keys[0], eventId: keys[1] }
    const found = await listEvents(context.reads, wallets.scripts, { after, rows: PAGE + 1 })
    const lines = await withRendered(context, found.slice(0, PAGE))
    const members = membersOf(found, (line) => [line.occurredAtText, line.eventId])
    const events = lines.map((line) => describeEvent(line, now))
    const { text } = jsonOf<ViewOf<'history'>>({ view: 'history', ...members, events })
    return { body: Buffer.from(text), expiries: expiriesOf(lines) }
  },
  async owned({ context, wallets, now, keysOf, membersOf }) {
    const keys = keysOf([{ type: 'timestamptz' }, { type: 'text' }])
    const after = keys && { newest: keys[0], inscriptionId: keys[1] }
    const found = await listReceived(context.reads, wallets.scripts, { now, after, rows: PAGE + 1 })
    const pages = [...Map.groupBy(found, (line) => line.inscriptionId).values()]
    const members = membersOf(pages, ([first]) => [first!.newestText, first!.inscriptionId])
    const groups = await describeGroups(context, wallets, pages.slice(0, PAGE), now)
    const { text } = jsonOf<ViewOf<'owned'>>({ view: 'owned', ...members, groups: jsonListOf(groups) })
    return { body: Buffer.from(text), expiries: expiriesOf(found) }
  },
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
