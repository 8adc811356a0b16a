import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { Sent } from './sent.ts'

/** Stores a settlement's change, with which its owner can pay before it confirms. */
export async function insertChange(
  tx: Transaction,
  settlementId: string,
  coins: readonly Coin[],
): Promise<void> {
  await tx`
    insert into change_coins (settlement_id, txid, vout, value_sats, script)
    select ${settlementId}, * from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[],
      ${coins.map((coin) => coin.valueSats)}::bigint[], ${coins.map((coin) => coin.script)}::bytea[])
    on conflict do nothing`
}

/** Returns unconfirmed change at an address (index change_coins_script). */
export function listPendingChange(
  sql: Queryable,
  script: Uint8Array,
): Promise<(Outpoint & { valueSats: number })[]> {
  return sql<(Outpoint & { valueSats: number })[]>`
    select c.txid, c.vout, c.value_sats from change_coins c join settlements s using (settlement_id)
    where c.script = ${script} and s.state = 'broadcast'`
}

/** Returns the coins that are change of broadcast settlements. */
export function listChangeAmong(sql: Queryable, coins: readonly Outpoint[]): Promise<Outpoint[]> {
  return sql<Outpoint[]>`
    select c.txid, c.vout
    from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
    join change_coins c on c.txid = o.txid and c.vout = o.vout
    join settlements s using (settlement_id) where s.state in ('broadcast', 'confirmed')`
}

/** Returns the packages of unconfirmed settlements that create these coins. */
export async function listMakersOf(sql: Queryable, coins: readonly Outpoint[]): Promise<Sent[][]> {
  const rows = await sql<{ transactions: Sent[] }[]>`
    select s.transactions from settlements s
    where s.state in ('intended', 'broadcast') and s.settlement_id in (
      select c.settlement_id
      from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as o (txid, vout)
      join change_coins c on c.txid = o.txid and c.vout = o.vout)`
  return rows.map((row) => row.transactions)
}
