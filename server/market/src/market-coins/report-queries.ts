import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { LedgerPurpose } from './ledger.ts'

export interface PurposeRow {
  purpose: LedgerPurpose
  entries: number
  sats: number
}

export function listPurposes(sql: Queryable, since: Date): Promise<PurposeRow[]> {
  return sql<PurposeRow[]>`
    select purpose, count(*)::int as entries, sum(sats)::bigint as sats from market_ledger
    where booked_at > ${since} group by purpose order by purpose`
}

export interface CauserRow {
  walletBindingId: string
  ordinalsScript: Uint8Array
  /** Negative for a cost to the market. */
  sats: number
  /** By purpose, largest cost first. */
  parts: { purpose: LedgerPurpose; sats: number }[]
}

/** Returns the wallets that cost the market most, largest cost first. */
export function listCausers(sql: Queryable, since: Date, limit: number): Promise<CauserRow[]> {
  return sql<CauserRow[]>`
    select wallet_binding_id, b.ordinals_script, sum(l.sats)::bigint as sats,
      json_agg(json_build_object('purpose', l.purpose, 'sats', l.sats) order by l.sats) as parts
    from (select wallet_binding_id, purpose, sum(sats)::bigint as sats from market_ledger
        where wallet_binding_id is not null and booked_at > ${since} group by wallet_binding_id, purpose) l
      join wallet_bindings b using (wallet_binding_id)
    group by wallet_binding_id, b.ordinals_script order by sum(l.sats) limit ${limit}`
}

/** Maximum rows of a list for operators. */
const MAX_LISTED = 20

export interface LooseRow {
  txid: string
  sats: number
  /** Number of such transactions, also those beyond the limit. */
  count: number
}

/** Returns transactions that spent coins of the market without its knowledge, newest first. At most 20. */
export function listUnexplained(sql: Queryable): Promise<LooseRow[]> {
  return sql<LooseRow[]>`
    select txid, sum(sats)::bigint as sats, (count(*) over ())::int as count from market_ledger
    where purpose = 'unexplained' group by txid order by max(height) desc, txid limit ${MAX_LISTED}`
}

/** Returns such transactions that an operator has explained, newest first. At most 20. */
export function listExplained(sql: Queryable): Promise<(LooseRow & { reason: string })[]> {
  return sql<(LooseRow & { reason: string })[]>`
    select l.txid, sum(l.sats)::bigint as sats, coalesce(c.reason, '') as reason, (count(*) over ())::int as count
    from market_ledger l join market_causes c on c.txid = l.txid and c.purpose = 'explained'
    where l.purpose = 'explained'
    group by l.txid, c.reason order by max(l.height) desc, l.txid limit ${MAX_LISTED}`
}

/**
 * Books unexplained transactions as explained, and stores the reason as their cause, so that it also applies after a reorg. Null for all.
 * Returns their ids.
 */
export async function explainTransactions(
  tx: Transaction,
  txids: readonly string[] | null,
  reason: string,
): Promise<string[]> {
  const rows = await tx<{ txid: string }[]>`
    with explained as (
      update market_ledger set purpose = 'explained'
      where purpose = 'unexplained' and (${txids === null}::boolean or txid = any(${(txids ?? []) as string[]}::text[]))
      returning txid)
    insert into market_causes (txid, n, purpose, reason)
    select txid, (select coalesce(max(n) + 1, 0) from market_causes c where c.txid = e.txid), 'explained', ${reason}
    from (select distinct txid from explained) e
    returning txid`
  return rows.map(({ txid }) => txid)
}
