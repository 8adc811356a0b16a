import type { Queryable } from '@ordbook/db/driver/connect.ts'
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

/** Returns transactions that spent coins of the market without its knowledge, newest first. At most 20. */
export function listUnexplained(sql: Queryable): Promise<{ txid: string; sats: number }[]> {
  return sql<{ txid: string; sats: number }[]>`
    select txid, sum(sats)::bigint as sats from market_ledger where purpose = 'unexplained'
    group by txid order by max(height) desc limit 20`
}
