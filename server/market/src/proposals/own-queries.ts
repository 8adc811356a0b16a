import { json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { keysOf, onePage, type PageOf } from '@ordbook/db/driver/order.ts'
import type { Expiring } from '../settlements/revocations.ts'
import { PROPOSAL_ORDER, type ProposalRow, type WantedTarget } from './queries.ts'

export interface OwnRow extends ProposalRow {
  creatorBindingId: string | null
  /** Packed Payment. Null if the proposal offers no sats. */
  payment: unknown
  visibility: 'public' | 'private'
  state: 'active' | 'accepted' | 'cancelled' | 'expired'
  available: boolean
}

const columns = (sql: Queryable) => sql`
  proposal_id, rendered_row, rendered_version, creator_script, creator_binding_id, payment, visibility, state, available,
  offered_btc_sats, requested_btc_sats, marketplace_fee_sats, created_at, expires_at,
  ${keysOf(sql, PROPOSAL_ORDER, sql`p`)} as keys`

export function listRowsOf(sql: Queryable, proposalIds: readonly string[]): Promise<OwnRow[]> {
  return sql<OwnRow[]>`
    select ${columns(sql)} from proposals p where proposal_id = any(${proposalIds as string[]}::uuid[])`
}

/** Returns a page of these creators' proposals, newest first (index proposals_creator). */
export function listOwnRows(
  sql: Queryable,
  page: PageOf<typeof PROPOSAL_ORDER> & {
    creatorScripts: readonly Uint8Array[]
    /** Null matches all proposals. */
    proposalId: string | null
  },
): Promise<OwnRow[]> {
  const { creatorScripts, proposalId } = page
  return sql<OwnRow[]>`
    select ${columns(sql)} from proposals p where creator_script in ${sql(creatorScripts as Uint8Array[])}
      ${proposalId === null ? sql`` : sql`and proposal_id = ${proposalId}`}
      ${onePage(sql, page, sql`p`)}`
}

export interface NewProposal {
  proposalId: string
  creatorScript: Uint8Array
  creatorBindingId: string
  payment: unknown
  visibility: 'public' | 'private'
  offeredBtcSats: number
  requestedBtcSats: number
  marketplaceFeeSats: number
  createdAt: Date
  expiresAt: Date
  offeredInscriptionIds: readonly string[]
  requests: readonly { requestId: string; collectionId: string; quantity: number; target: WantedTarget }[]
}

export async function insertProposal(tx: Transaction, row: NewProposal): Promise<void> {
  await tx`
    insert into proposals (proposal_id, creator_script, creator_binding_id, payment, visibility, state, offered_btc_sats,
      requested_btc_sats, marketplace_fee_sats, created_at, expires_at)
    values (${row.proposalId}, ${row.creatorScript}, ${row.creatorBindingId},
      ${row.payment === null ? null : json(tx, row.payment as object)}, ${row.visibility}, 'active', ${row.offeredBtcSats},
      ${row.requestedBtcSats}, ${row.marketplaceFeeSats}, ${row.createdAt}, ${row.expiresAt})`
  await tx`
    insert into proposal_items (proposal_id, position, inscription_id)
    select ${row.proposalId}, n - 1, id
    from unnest(${row.offeredInscriptionIds as string[]}::text[]) with ordinality as offered (id, n)`
  for (const [position, request] of row.requests.entries())
    await tx`
      insert into proposal_requests (request_id, proposal_id, position, collection_id, quantity, target)
      values (${request.requestId}, ${row.proposalId}, ${position}, ${request.collectionId}, ${request.quantity}, ${json(tx, request.target)})`
}

/** Ends an active proposal. Returns false if it was no longer active. */
export async function moveProposal(
  sql: Queryable,
  proposalId: string,
  to: 'cancelled' | 'expired',
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    update proposals set state = ${to}, ended_at = ${now}
    where proposal_id = ${proposalId} and state = 'active'
      ${to === 'expired' ? sql`` : sql`and expires_at > ${now}`} returning 1`
  return rows.length === 1
}

/** Locks a proposal. Returns its state. */
export async function lockProposal(tx: Transaction, proposalId: string): Promise<string> {
  const [row] = await tx<{ state: string }[]>`
    select state from proposals where proposal_id = ${proposalId} for no key update`
  return row!.state
}

/** Marks a proposal as accepted. Returns false if it is no longer active. */
export async function takeProposal(
  tx: Transaction,
  proposalId: string,
  settlementId: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx`
    update proposals set state = 'accepted', settlement_id = ${settlementId}, ended_at = ${now}
    where proposal_id = ${proposalId} and state = 'active' and expires_at > ${now} returning 1`
  return rows.length === 1
}

/** Makes a proposal active or expired after its settlement failed. Returns true if it is active. */
export async function reopenProposal(
  tx: Transaction,
  proposalId: string,
  settlementId: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx<{ state: string }[]>`
    update proposals set state = case when expires_at > final_time(${now}) then 'active' else 'expired' end, settlement_id = null,
      ended_at = case when expires_at > final_time(${now}) then null else expires_at end
    where proposal_id = ${proposalId} and state = 'accepted' and settlement_id = ${settlementId} returning state`
  return rows[0]?.state === 'active'
}

export const listUnexpiredProposals = (sql: Queryable, state: 'active' | 'cancelled', now: Date) => sql<
  Expiring[]
>`
  select proposal_id as id, expires_at from proposals where state = ${state} and expires_at > ${now}`

export const listExpiredProposals = (sql: Queryable, now: Date) => sql<
  { proposalId: string; expiresAt: Date }[]
>`
  select proposal_id, expires_at from proposals where state = 'active' and expires_at <= ${now} limit 1000`

export async function countActive(sql: Queryable, creatorScript: Uint8Array, now: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from proposals
    where creator_script = ${creatorScript} and state = 'active' and expires_at > ${now}`
  return row!.count
}

/** Returns the owners of inscriptions, and if a trade has locked their listings. */
export function listHoldings(
  sql: Queryable,
  inscriptionIds: readonly string[],
): Promise<{ inscriptionId: string; ownerScript: Uint8Array | null; isLocked: boolean }[]> {
  return sql<{ inscriptionId: string; ownerScript: Uint8Array | null; isLocked: boolean }[]>`
    select inscription_id, owner_script, exists (
      select 1 from live_listing_with(i.inscription_id) l where l.state = 'hidden_locked') as is_locked
    from inscriptions i where inscription_id = any(${inscriptionIds as string[]}::text[])`
}

/** Returns ended proposals that still have rows in `backing_coins`. */
export async function listFinishedProposals(sql: Queryable, now: Date): Promise<string[]> {
  const rows = await sql<{ proposalId: string }[]>`
    select distinct o.proposal_id from proposals o join backing_coins b on b.offer_id = o.proposal_id
    where not (o.state in ('active', 'accepted') and o.expires_at > ${now})`
  return rows.map((row) => row.proposalId)
}
