import type {
  HistoryEventAnswer,
  listMyOffers as listOperation,
  OwnedGroupAnswer,
  ProfileOfferRowAnswer,
} from '@ordbook/contract/my-offers.ts'
import type { Context } from '../context.ts'
import type { PagedUseCase } from '../http/operations.ts'
import { economicsOfRow, scriptsOf, sidesOf, statusOf } from './browse.ts'
import {
  countFor,
  type EventRow,
  listEvents,
  listOwnedGroups,
  listReceived,
  listSent,
  type ProfileRow,
} from './browse-queries.ts'

const PAGE = 25

/** The offers of a profile's wallets: received, sent, and their events. */
export const listMyOffers: PagedUseCase<typeof listOperation> = async (
  context,
  cursors,
  { session, query: { view = 'owned', cursor } },
) => {
  const { reads, clock } = context
  const scope = ['my-offers', session.profileId, view]
  const scripts = await scriptsOf(context, session)
  const now = clock()
  const { receivedCount, countersCount, ownedCount, sentCount } = await countFor(reads, scripts, now)
  const counts = { actionableCount: receivedCount + countersCount, ownedCount, sentCount }
  const more = <T>(rows: readonly T[], keysOf: (last: T) => readonly (string | number)[]) => {
    const hasMore = rows.length > PAGE
    return { hasMore, nextCursor: hasMore ? cursors.encode(scope, keysOf(rows[PAGE - 1]!)) : null }
  }

  if (view === 'sent') {
    const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'uuid' }])
    const after = keys && { createdAt: keys[0], offerId: keys[1] }
    const rows = await listSent(reads, scripts, { now, after, rows: PAGE + 1 })
    return {
      view,
      ...counts,
      ...more(rows, (row) => [row.createdAtText, row.offerId]),
      rows: rows
        .slice(0, PAGE)
        .map((row) =>
          describe(context, row, row.kind === 'buyer_offer' ? 'sent' : 'received', row.buyerBindingId),
        ),
    }
  }
  if (view === 'history') {
    const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'bigint' }])
    const after = keys && { occurredAt: keys[0], eventId: keys[1] }
    const rows = await listEvents(reads, scripts, { after, rows: PAGE + 1 })
    return {
      view,
      ...counts,
      ...more(rows, (row) => [row.occurredAtText, row.eventId]),
      events: rows.slice(0, PAGE).map((row) => describeEvent(context, row)),
    }
  }
  const keys = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'text' }])
  const after = keys && { newest: keys[0], inscriptionId: keys[1] }
  const groups = await listOwnedGroups(reads, scripts, { now, after, rows: PAGE + 1 })
  const ids = groups.slice(0, PAGE).map((group) => group.inscriptionId)
  const byId = Map.groupBy(await listReceived(reads, scripts, ids, now), (row) => row.inscriptionId)
  return {
    view: 'owned',
    ...counts,
    ...more(groups, (group) => [group.newestText, group.inscriptionId]),
    // An offer may have ended between the two reads and left an empty group.
    groups: ids.flatMap((id) => (byId.has(id) ? [describeGroup(context, byId.get(id)!)] : [])),
  }
}

function describeGroup(context: Context, rows: readonly ProfileRow[]): OwnedGroupAnswer {
  const [first] = rows
  const offers = rows.filter((row) => row.kind === 'buyer_offer')
  const counters = rows.filter((row) => row.kind === 'seller_counter')
  const earliest = Math.min(...rows.map((row) => row.expiresAt.getTime()))
  return {
    ...describeItem(first!),
    ownerAddress: sidesOf(context, first!).sellerAddress,
    actionBindingId: first!.sellerBinding,
    topOfferSats: offers[0]?.priceSats ?? null,
    activeOfferCount: offers.length,
    activeCounterCount: counters.length,
    earliestExpiresAt: new Date(earliest).toISOString(),
    offers: offers.map((row) => describe(context, row, 'received', row.sellerBinding)),
    sentCounters: counters.map((row) => describe(context, row, 'sent', row.sellerBinding)),
  }
}

const describeItem = (row: ProfileRow) => ({
  inscriptionId: row.inscriptionId,
  inscriptionNumber: String(row.inscriptionNumber ?? 0),
  contentType: row.contentType,
  inscriptionTitle: row.itemName,
  collectionName: row.collectionName,
  collectionSlug: row.collectionSlug,
  collectionVerified: row.collectionVerified,
})

function describe(
  context: Context,
  row: ProfileRow,
  side: 'received' | 'sent',
  binding: string | null,
): ProfileOfferRowAnswer {
  return {
    ...economicsOfRow(row),
    id: row.offerId,
    kind: row.kind,
    status: statusOf(context, row),
    executable: row.executable,
    side,
    actionKind:
      side === 'sent'
        ? null
        : row.kind === 'buyer_offer'
          ? 'seller_received_buyer_offer'
          : 'buyer_received_counter',
    actionBindingId: binding,
    ...describeItem(row),
    ...sidesOf(context, row),
    floorSats: row.floorSats,
    topOfferSats: row.topOfferSats,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }
}

function describeEvent(context: Context, row: EventRow): HistoryEventAnswer {
  const maker = row.kind === 'buyer_offer' ? 'buyer' : 'seller'
  const accepted = row.state === 'accepted'
  return {
    eventKey: `${row.offerId}:${row.eventType}`,
    eventType: row.eventType,
    role: row.role,
    offerId: row.offerId,
    parentOfferId: row.parentOfferId,
    kind: row.kind,
    status: statusOf(context, row),
    side: row.role === maker ? 'sent' : 'received',
    inscriptionId: row.inscriptionId,
    inscriptionNumber: String(row.inscriptionNumber ?? 0),
    inscriptionTitle: row.itemName,
    ...sidesOf(context, row),
    priceSats: row.priceSats,
    occurredAt: row.occurredAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    settlementTxid: accepted ? row.settlementTxid : null,
    payoutTxid: accepted ? row.payoutTxid : null,
  }
}
