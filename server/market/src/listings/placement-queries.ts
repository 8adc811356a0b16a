import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'

/** Returns the listings whose inscription an unconfirmed trade moves. Lock the listings first. */
export async function listInTrade(tx: Transaction, listingIds: readonly string[]): Promise<string[]> {
  const rows = await tx<{ listingId: string }[]>`
    select l.listing_id from listings l
    where l.listing_id = any(${listingIds as string[]}::uuid[]) and exists (
      select 1 from settlements s
      where s.state in ('intended', 'broadcast') and moves_with(l.inscription_id, s.inscription_ids))`
  return rows.map((row) => row.listingId)
}

/** Returns a listed inscription that an unconfirmed trade moves. Includes other inscriptions on the same sats. */
export async function findInTrade(sql: Queryable, inscriptionIds: readonly string[]): Promise<string | null> {
  const [row] = await sql<{ inscriptionId: string }[]>`
    select l.inscription_id from unnest(${inscriptionIds as string[]}::text[]) as asked (id)
      cross join lateral inscriptions_with(asked.id) as o (id) join listings l on l.inscription_id = o.id
      join settlements s on moves_with(l.inscription_id, s.inscription_ids)
    where l.state in ('buyable', 'hidden_locked', 'pending_public') and s.state in ('intended', 'broadcast') limit 1`
  return row?.inscriptionId ?? null
}

export async function lockListingRows(tx: Transaction, listingIds: readonly string[]): Promise<void> {
  await tx`
    select 1 from listings where listing_id = any(${listingIds as string[]}::uuid[]) order by listing_id for no key update`
}

/** Records the block that invalidated listings: `height`, or the last block. */
export async function setInvalidatedHeight(
  tx: Transaction,
  listingIds: readonly string[],
  height: number | null,
): Promise<void> {
  await tx`
    update listings set invalidated_height = coalesce(${height}::int, (select max(height) from blocks))
    where listing_id = any(${listingIds as string[]}::uuid[])`
}

/** Returns the anchors of listings that a block invalidated (index listings_invalidated). */
export async function listAnchorsInvalidatedAt(tx: Transaction, height: number): Promise<string[]> {
  const rows = await tx<{ anchorUtxoId: string }[]>`
    select anchor_utxo_id from listings where state = 'invalidated' and invalidated_height = ${height}`
  return rows.map((row) => row.anchorUtxoId)
}

interface Revivable {
  listingId: string
  anchorUtxoId: string
  recoveryHandle: string
  transferHeight: number | null
  wanted: Misplaced['wanted']
}

/** Locks and returns invalidated listings that can become active again, at most one per coin. */
export async function lockRevivable(
  tx: Transaction,
  inscriptionIds: readonly string[],
  now: Date,
): Promise<Revivable[]> {
  const locked = await tx<{ listingId: string }[]>`
    select listing_id from listings l
    where inscription_id = any(${inscriptionIds as string[]}::text[]) and state = 'invalidated'
      and (expires_at is null or expires_at > final_time(${now}))
      and exists (select 1 from inscriptions i join listing_coin(l) c using (txid, vout)
        where i.inscription_id = l.inscription_id)
    order by listing_id for no key update`
  if (locked.length === 0) return []
  return tx`
    select distinct on (l.coin_txid, l.coin_vout) l.listing_id, l.anchor_utxo_id, l.recovery_handle, l.transfer_height,
      listing_state(l) as wanted
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

/** Coin of an active listing, and the coin for which it was signed. */
export interface ListedCoin extends Outpoint {
  signedTxid: string
  signedVout: number
}

/** Returns coins of active listings in the order of the index listings_coin. */
export function listListedCoins(
  sql: Queryable,
  last: ListedCoin | undefined,
  rows: number,
): Promise<ListedCoin[]> {
  return sql<ListedCoin[]>`
    select c.txid, c.vout, l.coin_txid as signed_txid, l.coin_vout as signed_vout
    from listings l cross join lateral listing_coin(l) c
    where l.state in ('buyable', 'hidden_locked', 'pending_public')
      and (l.coin_txid, l.coin_vout) > (${last?.signedTxid ?? ''}, ${last?.signedVout ?? 0}::bigint)
    order by l.coin_txid, l.coin_vout limit ${rows}`
}

export type ListingFilter =
  | { coins: readonly Outpoint[] }
  | { inscriptionIds: readonly string[] }
  | { listingIds: readonly string[] }
  | 'waiting'

/** An active listing whose state is outdated. */
export interface Misplaced {
  listingId: string
  wanted: 'buyable' | 'hidden_locked' | 'pending_public'
  /** Mempool transaction that spends the listing's coin. */
  spender: string | null
  /** True if the signer no longer signs the leg. */
  isEnded: boolean
}

export async function listMisplaced(tx: Transaction, which: ListingFilter): Promise<Misplaced[]> {
  const some =
    which === 'waiting'
      ? tx`select listing_id from listings where state in ('hidden_locked', 'pending_public')`
      : 'listingIds' in which
        ? tx`select unnest(${which.listingIds as string[]}::uuid[])`
        : 'inscriptionIds' in which
          ? tx`select l.listing_id from listings l
              where l.inscription_id = any(array(select inscriptions_with_any(${which.inscriptionIds as string[]}::text[])))
                and l.state in ('buyable', 'hidden_locked', 'pending_public')`
          : tx`
              select l.listing_id
              from unnest(${which.coins.map((coin) => coin.txid)}::text[], ${which.coins.map((coin) => coin.vout)}::bigint[])
                as o (txid, vout)
              join listings l on l.state in ('buyable', 'hidden_locked', 'pending_public')
                and l.coin_txid = o.txid and l.coin_vout = o.vout
              union select l.listing_id
              from unnest(${which.coins.map((coin) => coin.txid)}::text[]) as o (txid)
              join listings l on l.state in ('buyable', 'hidden_locked', 'pending_public') and l.transfer_txid = o.txid`
  // Lock before reading the states, so that the second statement sees concurrent trades.
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
