import { Type } from 'typebox'
import { PositiveSats } from '../amounts.ts'
import { Nullable, OneOf } from '../choices.ts'
import { operation } from '../operation.ts'
import { pageOf, pageQuery } from '../paging.ts'
import { DateTime, InscriptionId, Text, Uuid } from '../scalars.ts'
import { Count, inCollection, read } from './read.ts'

const InboxEventId = Type.String({ pattern: '^[0-9]{1,18}$', examples: ['17'] })

const ofSession = { token: true, sameForAll: false, statuses: [401, 403, 429, 500] } as const

/** The item of an event or task. Null for events without an item, such as a bid on a collection. */
const item = { inscriptionId: Nullable(InscriptionId), name: Nullable(Text), ...inCollection }

const InboxEvent = Type.Object(
  {
    eventId: InboxEventId,
    kind: OneOf(
      'offer',
      'counter',
      'acceptance',
      'escrow',
      'settling',
      'sold',
      'delivered',
      'listing_ended',
      'outbid',
      'expiring',
      'sign_in',
    ),
    at: DateTime,
    isRead: Type.Boolean(),
    ...item,
    proposalId: Nullable(Uuid),
    /** Of the order; of the higher bid for `outbid`. */
    priceSats: Nullable(PositiveSats),
    expiresAt: Nullable(DateTime),
    /** The listing of `listing_ended`, and of `expiring` if that order is a listing. */
    listing: Nullable(
      Type.Object(
        {
          /** How it ended. A block can still sell or revive an ended listing. Null while it is live. */
          endedBy: Nullable(OneOf('expiry', 'move', 'sale', 'cancel')),
          /** Whether the seller still holds the item, in the wallet or in escrow. */
          isHeld: Type.Boolean(),
        },
        { title: 'InboxListing' },
      ),
    ),
    /** Only for `sign_in`: the client, as in GET /sessions. */
    client: Nullable(Type.String()),
  },
  { title: 'InboxEvent' },
)

export const listInbox = read('listInbox', 'GET /inbox', {
  ...ofSession,
  summary: "Events of the session's profile, newest first: 90 days, at most 1,000.",
  description: 'GET /events sends `inbox` with this session cookie when the list changes.',
  query: Type.Object(pageQuery(25)),
  answer: pageOf('InboxResponse', { events: Type.Array(InboxEvent) }),
  statuses: [400, 401, 403, 429, 500],
})

export const getInboxCounts = read('getInboxCounts', 'GET /inbox/counts', {
  ...ofSession,
  summary: 'Number of unread inbox events, in total and about trades, and the latest event.',
  answer: Type.Object(
    { unreadCount: Count, unreadTradeCount: Count, latestEventId: Nullable(InboxEventId) },
    { title: 'InboxCounts' },
  ),
})

export const markInboxRead = operation({
  id: 'markInboxRead',
  method: 'POST',
  path: '/inbox/read',
  area: 'Storefront',
  summary: 'Mark an inbox event and all earlier ones as read, or only that event.',
  body: Type.Object(
    { eventId: InboxEventId, only: Type.Optional(Type.Boolean({ default: false })) },
    { title: 'InboxReadRequest', additionalProperties: false },
  ),
  answer: Type.Object({ unreadCount: Count }, { title: 'InboxReadResponse' }),
  statuses: [400, 401, 403, 429, 500],
  token: true,
  bucket: 'web-reads',
})

const Waiting = Type.Object(
  {
    kind: OneOf('offer', 'counter', 'acceptance', 'escrow'),
    /** The offer or acceptance, or the escrow coin as `txid:vout`. */
    orderId: Type.String({ minLength: 1, examples: ['3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58'] }),
    at: DateTime,
    /** Null for an item in escrow. */
    expiresAt: Nullable(DateTime),
    ...item,
    proposalId: Nullable(Uuid),
    priceSats: Nullable(PositiveSats),
    /** Only for `counter`: the price of the caller's offer. */
    offeredSats: Nullable(PositiveSats),
    /** Only for `offer`: further offers on the item. */
    otherCount: Count,
  },
  { title: 'Waiting' },
)

export const listWaiting = read('listWaiting', 'GET /waiting', {
  ...ofSession,
  summary: "What waits for the session's profile, soonest deadline first, at most 100.",
  description:
    'offer: the highest on an item. counter: a counter-offer to accept or reject. acceptance: a proposal to complete. escrow: an item without a trade that only its owner can list again or withdraw.',
  answer: Type.Object({ waiting: Type.Array(Waiting), waitingCount: Count }, { title: 'WaitingResponse' }),
})
