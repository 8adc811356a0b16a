import type { SettlementKindName } from '@ordbook/contract/settlement-kinds.ts'
import { first, type Queryable } from '@ordbook/db/driver/connect.ts'

export interface SettlementState {
  settlementId: string
  kind: SettlementKindName
  state: 'intended' | 'broadcast' | 'confirmed' | 'failed'
  inscriptionIds: string[]
  createdAt: Date
  confirmedHeight: number | null
  minedAt: Date | null
  tipHeight: number | null
  /** Whether `/receipts/TXID` has a receipt. */
  hasReceipt: boolean
}

/** Returns a transaction's latest settlement with its block, or null. */
export function findSettlementState(sql: Queryable, txid: string): Promise<SettlementState | null> {
  return first(sql<SettlementState[]>`
    select s.settlement_id, s.kind, s.state, s.inscription_ids, s.created_at, s.confirmed_height, b.mined_at,
      (select max(height) from blocks) as tip_height,
      s.state in ('broadcast', 'confirmed')
        and exists (select 1 from purchases p where p.purchase_id = s.settlement_id) as has_receipt
    from settlements s left join blocks b on b.height = s.confirmed_height
    where s.settlement_txid = ${txid} order by s.created_at desc limit 1`)
}

/** A transaction that withdraws inscriptions from escrow. */
export interface LeavingState
  extends Omit<SettlementState, 'settlementId' | 'kind' | 'createdAt' | 'hasReceipt'> {
  kind: 'reclaim' | 'move' | 'exit'
  createdAt: Date | null
}

/**
 * Returns the state of a withdrawal from escrow, or null. The market records reclaims and moves (index escrows_leaving). An exit is found
 * by its spent coins, in the mempool (index mempool_spends_spender) or in a block (index coin_moves_to).
 */
export function findLeavingState(sql: Queryable, txid: string): Promise<LeavingState | null> {
  return first(sql<LeavingState[]>`
    with spent as (
      select e.inscription_id, null::int as height from escrows e where e.leaving_txid = ${txid}
      union all
      select e.inscription_id, null from mempool_spends m join escrows e on e.txid = m.txid and e.vout = m.vout
      where m.spender = ${txid}
      union all
      select e.inscription_id, c.height from coin_moves c join escrows e on e.txid = c.from_txid and e.vout = c.from_vout
      where txid_key(c.to_txid) = txid_key(${txid}) and c.to_txid = ${txid}),
    found as (select max(height) as height, array_agg(distinct inscription_id) as ids from spent having count(*) > 0)
    select case t.purpose when 'move' then 'move' when 'reclaim' then 'reclaim' when 'recovery' then 'reclaim' else 'exit' end as kind,
      case when f.height is not null then 'confirmed' when t.state = 'failed' then 'failed'
        when exists (select 1 from mempool_spends m where m.spender = ${txid}) then 'broadcast' else 'intended' end as state,
      f.ids as inscription_ids, t.created_at, f.height as confirmed_height, b.mined_at,
      (select max(height) from blocks) as tip_height
    from found f left join market_transactions t on t.txid = ${txid} left join blocks b on b.height = f.height`)
}

/** Returns the price of each inscription of a settlement; empty for a swap. */
export async function listSettledPrices(sql: Queryable, settlementId: string): Promise<Map<string, number>> {
  const rows = await sql<{ inscriptionId: string; priceSats: number }[]>`
    select p.inscription_id, l.price_sats from purchase_listings p join listings l using (listing_id)
    where p.purchase_id = ${settlementId}
    union all
    select o.inscription_id, o.price_sats from offers o
    where o.settlement_id = ${settlementId}
    union all
    select c.filled_inscription_id, c.price_sats from collection_offers c
    where c.settlement_id = ${settlementId} and c.filled_inscription_id is not null`
  return new Map(rows.map(({ inscriptionId, priceSats }) => [inscriptionId, priceSats]))
}
