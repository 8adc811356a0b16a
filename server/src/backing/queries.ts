import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Spend } from '../chain/mempool-queries.ts'
import type { Transaction } from '../db/connect.ts'

/**
 * The coins that live offers rest on, of all kinds in one table: what is spent is looked up once. A coin may back several
 * offers; the rows go when an offer ends.
 */
export async function insertBacking(
  tx: Transaction,
  offerId: string,
  coins: readonly Outpoint[],
): Promise<void> {
  await tx`
    insert into backing_coins (offer_id, txid, vout)
    select ${offerId}, * from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[])
    on conflict do nothing`
}

export async function deleteBacking(tx: Transaction, offerIds: readonly string[]): Promise<void> {
  await tx`delete from backing_coins where offer_id = any(${offerIds as string[]}::uuid[])`
}

/** False when no offer rests on any coin. */
export async function isAnyBacking(tx: Transaction): Promise<boolean> {
  const rows = await tx`select 1 from backing_coins limit 1`
  return rows.length > 0
}

/** Offers that rest on one of these coins, each with one spending that ends it. */
export function listResting(
  tx: Transaction,
  spent: readonly Spend[],
): Promise<(Spend & { offerId: string })[]> {
  return tx<(Spend & { offerId: string })[]>`
    select distinct on (c.offer_id) c.offer_id, s.txid, s.vout, s.spender
    from unnest(${spent.map((each) => each.txid)}::text[], ${spent.map((each) => each.vout)}::bigint[],
      ${spent.map((each) => each.spender)}::text[]) as s (txid, vout, spender)
    join backing_coins c on c.txid = s.txid and c.vout = s.vout
    order by c.offer_id`
}
