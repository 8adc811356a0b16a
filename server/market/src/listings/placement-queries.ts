import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'

/** True while a trade that is not in a block holds the inscription of a listing. Lock the listing first. */
export async function isInTrade(tx: Transaction, listingId: string): Promise<boolean> {
  const rows = await tx`
    select 1 from listings l join settlements s on moves_with(l.inscription_id, s.inscription_ids)
    where l.listing_id = ${listingId} and s.state in ('intended', 'broadcast') limit 1`
  return rows.length > 0
}

/** The first live listing of these inscriptions, or of others on their sats, that a trade holds which is not in a block. */
export async function findInTrade(sql: Queryable, inscriptionIds: readonly string[]): Promise<string | null> {
  const [row] = await sql<{ inscriptionId: string }[]>`
    select l.inscription_id from unnest(${inscriptionIds as string[]}::text[]) as asked (id)
      cross join lateral inscriptions_with(asked.id) as o (id) join listings l on l.inscription_id = o.id
      join settlements s on moves_with(l.inscription_id, s.inscription_ids)
    where l.state in ('buyable', 'hidden_locked', 'pending_public') and s.state in ('intended', 'broadcast') limit 1`
  return row?.inscriptionId ?? null
}

/** Waits for a change of a listing under way and holds the next off. */
export async function lockListingRow(tx: Transaction, listingId: string): Promise<void> {
  await tx`select 1 from listings where listing_id = ${listingId} for no key update`
}

/** Records the block that made a listing impossible; null: the latest block. */
export async function setInvalidatedHeight(
  tx: Transaction,
  listingId: string,
  height: number | null,
): Promise<void> {
  await tx`
    update listings set invalidated_height = coalesce(${height}::int, (select max(height) from blocks)) where listing_id = ${listingId}`
}

/** Anchors of the listings that became impossible at a height (index listings_invalidated). */
export async function listAnchorsInvalidatedAt(tx: Transaction, height: number): Promise<string[]> {
  const rows = await tx<{ anchorUtxoId: string }[]>`
    select anchor_utxo_id from listings where state = 'invalidated' and invalidated_height = ${height}`
  return rows.map((row) => row.anchorUtxoId)
}

/**
 * Listings that had become impossible and are possible again: the inscription is in the signed coin, the anchor is unspent, and
 * the coin has no other listing. At most one a coin, the latest. Locked.
 */
export async function listPossibleAgain(
  tx: Transaction,
  inscriptionIds: readonly string[],
  now: Date,
): Promise<
  { listingId: string; anchorUtxoId: string; recoveryHandle: string; wanted: Misplaced['wanted'] }[]
> {
  const locked = await tx<{ listingId: string }[]>`
    select listing_id from listings l
    where inscription_id = any(${inscriptionIds as string[]}::text[]) and state = 'invalidated'
      and (expires_at is null or expires_at > final_time(${now}))
      and exists (select 1 from inscriptions i join listing_coin(l) c using (txid, vout)
        where i.inscription_id = l.inscription_id)
    order by listing_id for no key update`
  if (locked.length === 0) return []
  return tx`
    select distinct on (l.coin_txid, l.coin_vout) l.listing_id, l.anchor_utxo_id, l.recovery_handle, listing_state(l) as wanted
    from listings l
    where l.listing_id = any(${locked.map((row) => row.listingId)}::uuid[]) and l.state = 'invalidated'
      and (l.transfer_height is not null or exists (select 1 from market_coins c
        where c.reserved_for = l.anchor_utxo_id and c.spent_height is null and c.spending_txid is null))
      and not exists (select 1 from listings o where o.inscription_id in (select inscriptions_with(l.inscription_id))
        and o.state in ('buyable', 'hidden_locked', 'pending_public'))
      and not exists (select 1 from listings o where o.coin_txid = l.coin_txid and o.coin_vout = l.coin_vout
        and o.state in ('buyable', 'hidden_locked', 'pending_public'))
    order by l.coin_txid, l.coin_vout, l.listed_at desc`
}

/** Live listings on these coins, of these inscriptions and others on their sats, or waiting for something. */
export type ListingFilter =
  | { coins: readonly Outpoint[] }
  | { inscriptionIds: readonly string[] }
  | { listingIds: readonly string[] }
  | 'waiting'

/** A live listing that is not in the state in which it should be. */
export interface Misplaced {
  listingId: string
  wanted: 'buyable' | 'hidden_locked' | 'pending_public'
  /** The mempool transaction that spends its coin. */
  spender: string | null
  /** The owner withdrew the coin from escrow in the meantime, so its leg is no longer signed. */
  isEnded: boolean
}

export async function listMisplaced(tx: Transaction, which: ListingFilter): Promise<Misplaced[]> {
  const some =
    which === 'waiting'
      ? tx`select listing_id from listings where state in ('hidden_locked', 'pending_public')`
      : 'listingIds' in which
        ? tx`select unnest(${which.listingIds as string[]}::uuid[])`
        : 'inscriptionIds' in which
          ? tx`select l.listing_id from unnest(${which.inscriptionIds as string[]}::text[]) as asked (id)
              cross join lateral inscriptions_with(asked.id) as o (id) join listings l on l.inscription_id = o.id
              where l.state in ('buyable', 'hidden_locked', 'pending_public')`
          : tx`
              select l.listing_id
              from unnest(${which.coins.map((coin) => coin.txid)}::text[], ${which.coins.map((coin) => coin.vout)}::bigint[])
                as o (txid, vout)
              join listings l on l.state in ('buyable', 'hidden_locked', 'pending_public')
                and l.coin_txid = o.txid and l.coin_vout = o.vout
              union select l.listing_id
              from unnest(${which.coins.map((coin) => coin.txid)}::text[]) as o (txid)
              join listings l on l.state in ('buyable', 'hidden_locked', 'pending_public') and l.transfer_txid = o.txid`
  // Lock before reading, so that concurrent trades are visible.
  const locked = await tx<{ listingId: string }[]>`
    select listing_id from listings where listing_id in (${some})
      and state in ('buyable', 'hidden_locked', 'pending_public') order by listing_id for no key update`
  if (locked.length === 0) return []
  return tx<Misplaced[]>`
    select l.listing_id, w.wanted, m.spender, coalesce(l.generation < e.floor, false) as is_ended
    from listings l cross join lateral (select listing_state(l) as wanted) w cross join lateral listing_coin(l) c
      left join mempool_spends m on m.txid = c.txid and m.vout = c.vout
      left join escrows e on e.txid = l.transfer_txid and e.vout = l.escrow_vout
    where l.listing_id = any(${locked.map((row) => row.listingId)}::uuid[]) and l.state <> w.wanted
    order by l.listing_id`
}
