import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import type * as operations from '@ordbook/contract/storefront/inbox.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import type { Context } from '@ordbook/market/context.ts'
import type { ListingState } from '@ordbook/market/listings/states.ts'
import { scriptsOf } from '@ordbook/market/proposals/own.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import { nameOf } from '../items/named-items.ts'
import {
  countInbox,
  type InboxRow,
  type ItemOfRow,
  listInboxRows,
  listWaitingRows,
  setRead,
} from './inbox-queries.ts'

const MAX_WAITING = 100

function describeItem(row: ItemOfRow) {
  const { inscriptionId, inscriptionNumber, itemName } = row
  const isKnown = itemName !== null || inscriptionNumber !== null
  return {
    inscriptionId,
    name: isKnown ? nameOf({ itemName, inscriptionNumber: inscriptionNumber ?? 0 }) : null,
    contentType: row.contentType,
    imageRenderingHint: row.imageRenderingHint,
    collectionSlug: row.collectionSlug,
    collectionName: row.collectionName,
    verificationStatus: row.verificationStatus,
    collectionFloorSats: row.collectionFloorSats,
  }
}

const ENDED_BY = {
  expired: 'expiry',
  invalidated: 'move',
  sold: 'sale',
  cancelled: 'cancel',
  replaced: 'cancel',
  buyable: null,
  hidden_locked: null,
  pending_public: null,
} as const satisfies Record<ListingState, string | null>

const describeListing = ({ listingState, isHeld }: InboxRow) =>
  listingState === null ? null : { endedBy: ENDED_BY[listingState], isHeld }

/** Lists the events of the session's profile, newest first. */
export const listInbox: PagedUseCase<typeof operations.listInbox> = async (
  { reads },
  cursors,
  { session: { profileId }, query },
) => {
  const { limit = 25, cursor } = query
  const scope = ['inbox', profileId]
  const after = cursors.decode(scope, cursor, [{ type: 'timestamptz' }, { type: 'bigint' }])
  const before = after && { at: after[0], inboxId: after[1] }
  const rows = await listInboxRows(reads, { profileId, before, rows: limit + 1 })
  const page = rows.slice(0, limit)
  return {
    events: page.map((row) => ({
      eventId: String(row.inboxId),
      kind: row.kind,
      at: row.at.toISOString(),
      isRead: row.isRead,
      ...describeItem(row),
      proposalId: row.proposalId,
      priceSats: row.priceSats,
      expiresAt: row.expiresAt?.toISOString() ?? null,
      listing: describeListing(row),
      client: row.kind === 'sign_in' ? row.subject : null,
    })),
    pagination: paginationOf(rows.length, limit, () => {
      const { atText, inboxId } = page.at(-1)!
      return cursors.encode(scope, [atText, inboxId])
    }),
  }
}

export async function getInboxCounts(
  { reads }: Pick<Context, 'reads'>,
  { profileId }: Session,
): Promise<AnswerOf<typeof operations.getInboxCounts>> {
  const { unreadCount, unreadTradeCount, latestId } = await countInbox(reads, profileId)
  return { unreadCount, unreadTradeCount, latestEventId: latestId === null ? null : String(latestId) }
}

export async function markInboxRead(
  { sql }: Pick<Context, 'sql'>,
  { profileId }: Session,
  { eventId, only = false }: BodyOf<typeof operations.markInboxRead>,
): Promise<AnswerOf<typeof operations.markInboxRead>> {
  await setRead(sql, { profileId, inboxId: Math.min(Number(eventId), Number.MAX_SAFE_INTEGER), only })
  return { unreadCount: (await countInbox(sql, profileId)).unreadCount }
}

/** Lists what the session's profile must answer, complete or withdraw. */
export async function listWaiting(
  context: Context,
  session: Session,
): Promise<AnswerOf<typeof operations.listWaiting>> {
  const { reads, clock } = context
  const scripts = await scriptsOf(context, session)
  const rows = await listWaitingRows(reads, { scripts, now: clock(), rows: MAX_WAITING })
  return {
    waiting: rows.map((row) => ({
      kind: row.kind,
      orderId: row.orderId,
      at: row.at.toISOString(),
      expiresAt: row.expiresAt?.toISOString() ?? null,
      ...describeItem(row),
      proposalId: row.proposalId,
      priceSats: row.priceSats,
      offeredSats: row.offeredSats,
      otherCount: row.otherCount,
    })),
    waitingCount: rows[0]?.total ?? 0,
  }
}
