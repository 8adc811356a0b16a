import { first, json, limitOf, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { OfferState } from '../offers/states.ts'
import type { Expiring } from '../settlements/revocations.ts'

export interface Fill {
  legId: string
  inscriptionId: string
}

/** `from` is the side that gives the inscription. */
export interface SwapItem {
  inscriptionId: string
  from: 'proposer' | 'acceptor'
  txid: string
  vout: number
  valueSats: number
}

export interface NewAcceptance {
  acceptanceId: string
  proposalId: string
  acceptorBindingId: string
  acceptorScript: Uint8Array
  fills: readonly Fill[]
  /** Packed SwapTerms. */
  terms: unknown
  items: readonly SwapItem[]
  /** Packed signatures, in the order of the acceptor's inputs. */
  signatures: unknown
  settlementTxid: string
  createdAt: Date
  expiresAt: Date
}

export interface AcceptanceRow extends NewAcceptance {
  state: OfferState
  reason: string | null
  settlementId: string | null
  createdAtText: string
  isSettled: boolean
}

const columns = (sql: Queryable) => sql`
  a.acceptance_id, a.proposal_id, a.acceptor_binding_id, a.acceptor_script, a.state, a.reason, a.fills, a.terms, a.items,
  a.signatures, a.settlement_txid, a.settlement_id, a.created_at, a.created_at::text as created_at_text, a.expires_at,
  exists (select 1 from settlements s where s.settlement_id = a.settlement_id and s.state = 'confirmed') as is_settled`

export async function insertAcceptance(tx: Transaction, row: NewAcceptance): Promise<void> {
  await tx`
    insert into acceptances (acceptance_id, proposal_id, acceptor_binding_id, acceptor_script, state, fills, terms, items,
      signatures, settlement_txid, created_at, expires_at)
    values (${row.acceptanceId}, ${row.proposalId}, ${row.acceptorBindingId}, ${row.acceptorScript}, 'active',
      ${json(tx, row.fills)}, ${json(tx, row.terms as object)}, ${json(tx, row.items)}, ${json(tx, row.signatures as object)},
      ${row.settlementTxid}, ${row.createdAt}, ${row.expiresAt})`
}

export async function countActiveAcceptances(
  tx: Transaction,
  proposalId: string,
  acceptorScript: Uint8Array,
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*) as count from acceptances
    where proposal_id = ${proposalId} and acceptor_script = ${acceptorScript} and state = 'active'`
  return row!.count
}

export function findAcceptance(sql: Queryable, acceptanceId: string) {
  return first(sql<AcceptanceRow[]>`
    select ${columns(sql)} from acceptances a where acceptance_id = ${acceptanceId}`)
}

export function findAcceptanceBySettlement(sql: Queryable, settlementId: string) {
  return first(sql<AcceptanceRow[]>`
    select ${columns(sql)} from acceptances a where settlement_id = ${settlementId}`)
}

/** Returns a page of sent or received acceptances, newest first. */
export function listAcceptanceRows(
  sql: Queryable,
  page: {
    view: 'received' | 'sent'
    /** Null: of all proposals. */
    proposalId: string | null
    scripts: readonly Uint8Array[]
    after: { createdAt: string; acceptanceId: string } | null
    rows: number
  },
): Promise<AcceptanceRow[]> {
  const { view, proposalId, scripts, after, rows } = page
  if (scripts.length === 0) return Promise.resolve([])
  return sql<AcceptanceRow[]>`
    select ${columns(sql)} from acceptances a
    where ${
      view === 'sent'
        ? sql`a.acceptor_script in ${sql(scripts as Uint8Array[])}`
        : sql`a.proposal_id in (select proposal_id from proposals where creator_script in ${sql(scripts as Uint8Array[])})`
    } ${proposalId === null ? sql`` : sql`and a.proposal_id = ${proposalId}`} ${
      after === null
        ? sql``
        : sql`and (a.created_at, a.acceptance_id) < (${after.createdAt}::text::timestamptz, ${after.acceptanceId}::uuid)`
    }
    order by a.created_at desc, a.acceptance_id desc limit ${limitOf(sql, rows)}`
}

export async function setAcceptanceSettlement(
  tx: Transaction,
  acceptanceId: string,
  settlementId: string,
): Promise<void> {
  await tx`update acceptances set settlement_id = ${settlementId} where acceptance_id = ${acceptanceId}`
}

/** Locks and returns a proposal's active acceptances (index acceptances_proposal). */
export async function lockActiveOfProposal(tx: Transaction, proposalId: string): Promise<string[]> {
  const rows = await tx<{ acceptanceId: string }[]>`
    select acceptance_id from acceptances where proposal_id = ${proposalId} and state = 'active'
    order by acceptance_id for update`
  return rows.map((row) => row.acceptanceId)
}

/** Locks an invalidated acceptance. Returns true if it can become active again. */
export async function isRevivable(tx: Transaction, acceptanceId: string, now: Date): Promise<boolean> {
  const rows = await tx`
    select 1 from acceptances a join proposals p using (proposal_id)
    where a.acceptance_id = ${acceptanceId} and a.state = 'invalidated' and a.expires_at > final_time(${now})
      and p.state = 'active' and not exists (select 1 from acceptances s where s.settlement_txid = a.settlement_txid
        and s.acceptance_id <> a.acceptance_id and s.state in ('active', 'accepting', 'accepted'))
    for no key update of a`
  return rows.length === 1
}

export async function listProposalsOf(sql: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await sql<{ proposalId: string }[]>`
    select proposal_id from proposals where proposal_id = any(${ids as string[]}::uuid[])`
  return rows.map((row) => row.proposalId)
}

export const listUnexpiredAcceptances = (sql: Queryable, states: readonly OfferState[], now: Date) => sql<
  Expiring[]
>`
  select acceptance_id as id, expires_at from acceptances
  where state = any(${states as string[]}::text[]) and expires_at > ${now}`
