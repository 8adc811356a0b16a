import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { first, json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { type LegRow, legColumns } from '../escrows/leg-queries.ts'
import type { ListingState } from './states.ts'

export interface ListingRow {
  listingId: string
  anchorUtxoId: string
  recoveryHandle: string
  collectionId: string
  inscriptionId: string
  /** All inscriptions on its sat when it was listed, by sequence. */
  inscriptionIds: string[]
  walletBindingId: string
  sellerScript: Uint8Array
  priceSats: number
  terms: object
  economics: object
  /** Outpoint of the escrow coin. */
  transferTxid: string
  escrowVout: number
  generation: number
  transferHeight: number | null
  transferSignature: Uint8Array
  legSignature: Uint8Array
  /** Null if the listing was made from escrow. */
  recoverySignature: Uint8Array | null
  recoveryBatch: string
  recoveryIndex: number
  satOffset: number
  /** The coin that the signatures commit to. */
  coinTxid: string
  coinVout: number
  state: ListingState
  listedAt: Date
  expiresAt: Date | null
}

const columns = (sql: Queryable) => sql`
  listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids, wallet_binding_id, seller_script,
  price_sats, terms, economics, transfer_txid, escrow_vout, generation, transfer_height, transfer_signature, leg_signature, recovery_signature,
  recovery_batch, recovery_index, sat_offset, coin_txid, coin_vout, state, listed_at, expires_at`

export async function insertListing(
  tx: Transaction,
  row: Omit<ListingRow, 'inscriptionIds'> & { endedAt?: Date },
): Promise<void> {
  await tx`
    insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids, wallet_binding_id,
      seller_script, price_sats, terms, economics, transfer_txid, escrow_vout, generation, transfer_height, transfer_signature,
      leg_signature, recovery_signature, recovery_batch, recovery_index, sat_offset, state, listed_at, expires_at, ended_at, coin_txid, coin_vout)
    values (${row.listingId}, ${row.anchorUtxoId}, ${row.recoveryHandle}, ${row.collectionId}, ${row.inscriptionId},
      (select coalesce(array_agg(o.inscription_id order by o.sequence), array[${row.inscriptionId}]) from inscription_rows i
        join inscription_rows o on o.sat_id = i.sat_id where i.inscription_id = ${row.inscriptionId}),
      ${row.walletBindingId}, ${row.sellerScript}, ${row.priceSats}, ${json(tx, row.terms)},
      ${json(tx, row.economics)}, ${row.transferTxid}, ${row.escrowVout}, ${row.generation}, ${row.transferHeight}, ${row.transferSignature},
      ${row.legSignature}, ${row.recoverySignature}, ${row.recoveryBatch},
      ${row.recoveryIndex}, ${row.satOffset}, ${row.state}, ${row.listedAt}, ${row.expiresAt},
      ${row.endedAt ?? null}, ${row.coinTxid}, ${row.coinVout})`
}

export function listListingsById(sql: Queryable, listingIds: readonly string[]): Promise<ListingRow[]> {
  return sql<ListingRow[]>`
    select ${columns(sql)}
    from unnest(${listingIds as string[]}::uuid[]) with ordinality as h (listing_id, n) join listings using (listing_id)
    order by h.n`
}

/**
 * Locks and returns the active listing of an inscription, or of another on its sat (unique indexes listings_live, listings_coin). If that
 * listing was replaced while this waited for its row, locks its replacement.
 */
export async function lockLiveListing(tx: Transaction, inscriptionId: string): Promise<ListingRow | null> {
  const live = tx`
    inscription_id in (select inscriptions_with(${inscriptionId})) and state in ('buyable', 'hidden_locked', 'pending_public')`
  for (;;) {
    const locked = await first(tx<ListingRow[]>`
      select ${columns(tx)} from listings where ${live}
      order by inscription_id = ${inscriptionId} desc, listed_at desc limit 1 for no key update`)
    if (locked || (await tx`select 1 from listings where ${live} limit 1`).length === 0) return locked
  }
}

export interface LiveListing {
  listingId: string
  inscriptionId: string
  transferTxid: string
  escrowVout: number
}

/** Returns the active listings that a new listing replaces, by id. Includes listings of other inscriptions in the coin. */
export function listReplaced(
  sql: Queryable,
  items: readonly { inscriptionId: string; coin: Outpoint }[],
  { lock = false } = {},
): Promise<LiveListing[]> {
  return sql<LiveListing[]>`
    select l.listing_id, l.inscription_id, l.transfer_txid, l.escrow_vout from listings l
    where l.state in ('buyable', 'hidden_locked', 'pending_public') and l.listing_id in (
      select s.listing_id from unnest(${items.map((each) => each.inscriptionId)}::text[]) as asked (id)
        cross join lateral inscriptions_with(asked.id) as o (id) join listings s on s.inscription_id = o.id
      where s.state in ('buyable', 'hidden_locked', 'pending_public')
      union
      select c.listing_id
      from unnest(${items.map((each) => each.coin.txid)}::text[], ${items.map((each) => each.coin.vout)}::bigint[]) as o (txid, vout)
        join listings c on c.coin_txid = o.txid and c.coin_vout = o.vout
      where c.state in ('buyable', 'hidden_locked', 'pending_public'))
    order by l.listing_id ${lock ? sql`for no key update of l` : sql``}`
}

export function listBatch(sql: Queryable, recoveryBatch: string): Promise<ListingRow[]> {
  return sql<ListingRow[]>`
    select ${columns(sql)} from listings where recovery_batch = ${recoveryBatch} order by recovery_index`
}

export interface MovedListing {
  listingId: string
  fromState: ListingState
  anchorUtxoId: string
  recoveryHandle: string
  transferTxid: string
  escrowVout: number
  transferHeight: number | null
  endedAt: Date | null
}

/**
 * Changes the state of the listings whose state is in `from`. Returns them with their previous states. A listing that expires has ended at
 * its expiry.
 */
export function moveListingStates(
  tx: Transaction,
  listingIds: readonly string[],
  from: readonly ListingState[],
  to: ListingState,
  endedAt: Date | null,
): Promise<MovedListing[]> {
  return tx<MovedListing[]>`
    with old as (
      select listing_id, state from listings
      where listing_id = any(${listingIds as string[]}::uuid[]) order by listing_id for no key update)
    update listings l set state = ${to}, ended_at = ${to === 'expired' ? tx`l.expires_at` : tx`${endedAt}`}, rendered_row = null,
      rendered_version = l.rendered_version + 1
    from old where l.listing_id = old.listing_id and old.state = any(${from as string[]}::text[])
    returning l.listing_id, old.state as from_state, l.anchor_utxo_id, l.recovery_handle, l.transfer_txid, l.escrow_vout,
      l.transfer_height, l.ended_at`
}

/** Returns recovery batches with an ended listing in escrow and no pending recovery. */
export async function listStranded(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ recoveryBatch: string }[]>`
    select distinct l.recovery_batch
    from listings l join inscriptions i on i.inscription_id = l.inscription_id
    where l.transfer_height is not null and l.state in ('cancelled', 'expired', 'invalidated', 'replaced')
      and i.txid = l.transfer_txid and l.recovery_signature is not null
      -- Skip batches with an item that its owner has relisted or is withdrawing.
      and not exists (select 1 from listings b join listings n on n.inscription_id = b.inscription_id
        where b.recovery_batch = l.recovery_batch and n.state in ('buyable', 'hidden_locked', 'pending_public'))
      and not exists (select 1 from listings b join escrows e on e.txid = b.transfer_txid and e.vout = b.escrow_vout
        join market_transactions t on t.txid = e.leaving_txid
        where b.recovery_batch = l.recovery_batch and t.state in ('intended', 'confirmed'))
      and not exists (select 1 from market_transactions t
        where t.handle = l.recovery_batch and t.state in ('intended', 'confirmed'))`
  return rows.map((row) => row.recoveryBatch)
}

/** Returns the handles of recovery coins that are no longer needed. */
export async function listIdleRecoveries(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ recoveryHandle: string }[]>`
    select l.recovery_handle
    from market_coins c join listings l on l.recovery_handle = c.reserved_for
      join inscriptions i on i.inscription_id = l.inscription_id
    where c.state = 'held' and l.state in ('cancelled', 'expired', 'invalidated', 'replaced')
      and case when l.transfer_height is null then exists (
          select 1 from market_coins a where a.txid = l.terms -> 'anchor' ->> 'txid'
            and a.vout = (l.terms -> 'anchor' ->> 'vout')::bigint and a.state = 'spent'
            and a.spent_txid <> l.transfer_txid)
        else i.txid <> l.transfer_txid end`
  return rows.map((row) => row.recoveryHandle)
}

/** Returns anchors that a recovery may still need. */
export async function listNeededForRecovery(tx: Queryable, handles: readonly string[]): Promise<Set<string>> {
  const rows = await tx<{ anchorUtxoId: string }[]>`
    select l.anchor_utxo_id from listings l
    where l.anchor_utxo_id = any(${handles as string[]}::uuid[])
      and exists (select 1 from listings s join inscriptions i on i.inscription_id = s.inscription_id
        where s.recovery_batch = l.recovery_batch and s.transfer_height is not null and s.state <> 'sold'
          and i.txid = s.transfer_txid)`
  return new Set(rows.map((row) => row.anchorUtxoId))
}

export function lockLiveListings(tx: Transaction, inscriptionIds: readonly string[]): Promise<ListingRow[]> {
  return tx<ListingRow[]>`
    select ${columns(tx)} from listings
    where inscription_id = any(${inscriptionIds as string[]}::text[])
      and state in ('buyable', 'hidden_locked', 'pending_public')
    order by listing_id for no key update`
}

/** Locks and returns the active listings of inscriptions and of others on their sats. */
export async function lockLiveListingsWith(
  tx: Transaction,
  inscriptionIds: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ listingId: string }[]>`
    select listing_id from listings
    where inscription_id = any(array(select inscriptions_with_any(${inscriptionIds as string[]}::text[])))
      and state in ('buyable', 'hidden_locked', 'pending_public')
    order by listing_id for no key update`
  return rows.map((row) => row.listingId)
}

/** Returns expired active listings, by expiry (index listings_expiry). */
export async function listExpired(sql: Queryable, now: Date): Promise<string[]> {
  const rows = await sql<{ listingId: string }[]>`
    select listing_id from listings
    where state in ('buyable', 'hidden_locked', 'pending_public') and expires_at <= ${now}
    order by expires_at, listing_id limit 1000`
  return rows.map((row) => row.listingId)
}

/** Returns a batch of active listings, by id. */
export function listSignable(
  sql: Queryable,
  page: { after: string; count: number },
): Promise<(LegRow & { listingId: string })[]> {
  return sql<(LegRow & { listingId: string })[]>`
    select listing_id, ${legColumns(sql)} from listings
    where state in ('buyable', 'hidden_locked', 'pending_public') and listing_id > ${page.after}
    order by listing_id limit ${page.count}`
}

/** Returns the terms of an earlier unconfirmed listing with an identical transfer. A new listing can use its anchor. */
export async function findReusableTransfer(
  tx: Transaction,
  transfer: {
    inscriptionId: string
    walletBindingId: string
    coin: { txid: string; vout: number }
    escrowForm: string
  },
): Promise<object | null> {
  const [row] = await tx<{ terms: object }[]>`
    select l.terms from listings l join market_coins c on c.reserved_for = l.anchor_utxo_id
    where l.inscription_id = ${transfer.inscriptionId} and l.wallet_binding_id = ${transfer.walletBindingId}
      and l.coin_txid = ${transfer.coin.txid} and l.coin_vout = ${transfer.coin.vout} and l.transfer_height is null
      and l.terms ->> 'escrowForm' = ${transfer.escrowForm} and c.state in ('held', 'retired')
    order by l.listed_at desc limit 1`
  return row?.terms ?? null
}
