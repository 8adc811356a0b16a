import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { first, json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

export interface EscrowRow extends Outpoint {
  walletBindingId: string
  collectionId: string
  inscriptionId: string
  sellerScript: Uint8Array
  /** Packed TransferTerms. */
  terms: object
  transferSignature: Uint8Array
  nextGeneration: number
  floor: number
  madeHeight: number | null
  leavingTxid: string | null
  createdAt: Date
}

/** Returns the transfer terms of an order. */
export const transferTermsOf = (terms: TransferTerms): TransferTerms => {
  const { inscriptionCoin, seller, marketKey, escrowForm, movedTo, anchor, market } = terms
  return { inscriptionCoin, seller, marketKey, escrowForm, movedTo, anchor, market }
}

const columns = (sql: Queryable) => sql`
  e.txid, e.vout, e.wallet_binding_id, e.collection_id, e.inscription_id, e.seller_script, e.terms, e.transfer_signature,
  e.next_generation, e.floor, e.made_height, e.leaving_txid, e.created_at`

const listOf = (sql: Queryable, coins: readonly Outpoint[]) => sql`
  unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[])
    with ordinality as o (txid, vout, n)`

/** Stores an order's escrow coin and the generation of its leg. */
export async function insertEscrow(
  tx: Transaction,
  row: Omit<EscrowRow, 'nextGeneration' | 'floor' | 'madeHeight' | 'leavingTxid'> & { generation: number },
): Promise<void> {
  const next = row.generation + 1
  await tx`
    insert into escrows (txid, vout, wallet_binding_id, collection_id, inscription_id, seller_script, terms,
      transfer_signature, next_generation, created_at)
    values (${row.txid}, ${row.vout}, ${row.walletBindingId}, ${row.collectionId}, ${row.inscriptionId},
      ${row.sellerScript}, ${json(tx, row.terms)}, ${row.transferSignature}, ${next}, ${row.createdAt})
    on conflict (txid, vout) do update set next_generation = greatest(escrows.next_generation, ${next}),
      collection_id = excluded.collection_id, wallet_binding_id = excluded.wallet_binding_id`
}

/** Returns escrows in the order of `coins`. Omits unknown coins. */
export function listEscrows(sql: Queryable, coins: readonly Outpoint[]): Promise<EscrowRow[]> {
  return sql<EscrowRow[]>`
    select ${columns(sql)} from ${listOf(sql, coins)} join escrows e on e.txid = o.txid and e.vout = o.vout order by o.n`
}

/** Like `listEscrows`, with row locks. To avoid deadlocks, lock the active listings first. */
export function lockEscrows(tx: Transaction, coins: readonly Outpoint[]): Promise<EscrowRow[]> {
  return tx<EscrowRow[]>`
    select ${columns(tx)} from ${listOf(tx, coins)} join escrows e on e.txid = o.txid and e.vout = o.vout
    order by o.n for no key update of e`
}

/** Locks an escrow coin and returns its next generation and creation time. */
export async function lockGeneration(
  tx: Transaction,
  { txid, vout }: Outpoint,
): Promise<{ next: number; createdAt: Date } | undefined> {
  const [row] = await tx<{ next: number; createdAt: Date }[]>`
    select next_generation as next, created_at from escrows where txid = ${txid} and vout = ${vout} for no key update`
  return row
}

export async function setIssued(
  tx: Transaction,
  { txid, vout }: Outpoint,
  generation: number,
): Promise<void> {
  await tx`update escrows set next_generation = ${generation + 1} where txid = ${txid} and vout = ${vout}`
}

/** Raises the minimum generation to `floor`, by default above all issued generations. */
export async function raiseFloors(
  tx: Transaction,
  escrows: readonly Outpoint[],
  floor?: number,
): Promise<void> {
  await tx`
    update escrows e
    set floor = greatest(e.floor, ${floor ?? null}::int, case when ${floor === undefined} then e.next_generation end)
    from unnest(${escrows.map((escrow) => escrow.txid)}::text[], ${escrows.map((escrow) => escrow.vout)}::bigint[]) as o (txid, vout)
    where e.txid = o.txid and e.vout = o.vout`
}

/** Raises all minimums above all issued generations and marks them as unsent. */
export async function raiseAllFloors(sql: Queryable): Promise<void> {
  await sql`update escrows set floor = greatest(floor, next_generation), signer_floor = 0`
}

/** Returns minimum generations to send to the signer (index escrows_floor_due). */
export function listUnsentFloors(sql: Queryable, limit: number): Promise<(Outpoint & { floor: number })[]> {
  return sql<(Outpoint & { floor: number })[]>`
    select txid, vout, floor from escrows where floor > signer_floor limit ${limit}`
}

export async function setSignerFloors(
  sql: Queryable,
  confirmed: readonly (Outpoint & { floor: number })[],
): Promise<void> {
  await sql`
    update escrows e set signer_floor = greatest(e.signer_floor, o.floor)
    from unnest(${confirmed.map((each) => each.txid)}::text[], ${confirmed.map((each) => each.vout)}::bigint[],
      ${confirmed.map((each) => each.floor)}::int[]) as o (txid, vout, floor)
    where e.txid = o.txid and e.vout = o.vout`
}

export async function setLeaving(tx: Transaction, coins: readonly Outpoint[], txid: string): Promise<void> {
  await tx`
    update escrows e set leaving_txid = ${txid} from ${listOf(tx, coins)} where e.txid = o.txid and e.vout = o.vout`
}

export function findLeaving(sql: Queryable, coins: readonly Outpoint[]) {
  return first(sql<(Outpoint & { leavingTxid: string })[]>`
    select e.txid, e.vout, e.leaving_txid
    from ${listOf(sql, coins)} join escrows e on e.txid = o.txid and e.vout = o.vout
      join market_transactions t on t.txid = e.leaving_txid and t.state in ('intended', 'confirmed')
    limit 1`)
}

/** Returns an inscription that an unconfirmed settlement moves. Includes other inscriptions on its sat. */
export async function findSettling(
  sql: Queryable,
  inscriptionIds: readonly string[],
): Promise<string | null> {
  const [row] = await sql<{ inscriptionId: string }[]>`
    select i.id as inscription_id from unnest(${inscriptionIds as string[]}::text[]) as i (id)
      join settlements s on moves_with(i.id, s.inscription_ids)
    where s.state in ('intended', 'broadcast') limit 1`
  return row?.inscriptionId ?? null
}

/** Returns escrow coins that were spent without the market. */
export function listExits(
  sql: Queryable,
  spends: readonly (Outpoint & { spender: string })[],
): Promise<(EscrowRow & { spender: string })[]> {
  return sql<(EscrowRow & { spender: string })[]>`
    select ${columns(sql)}, o.spender
    from unnest(${spends.map((each) => each.txid)}::text[], ${spends.map((each) => each.vout)}::bigint[],
        ${spends.map((each) => each.spender)}::text[]) as o (txid, vout, spender)
      join escrows e on e.txid = o.txid and e.vout = o.vout
    where not exists (select 1 from settlements s where s.settlement_txid = o.spender)
      and not exists (select 1 from market_transactions t where t.txid = o.spender)`
}

export function listEscrowsOf(sql: Queryable, inscriptionIds: readonly string[], sellerScript: Uint8Array) {
  return sql<EscrowRow[]>`
    select ${columns(sql)} from inscriptions i join escrows e on e.txid = i.txid and e.vout = i.vout
    where i.inscription_id = any(${inscriptionIds as string[]}::text[]) and e.seller_script = ${sellerScript}`
}

export async function setTransferHeights(
  tx: Transaction,
  txids: readonly string[],
  height: number,
): Promise<void> {
  await tx`update offers set transfer_height = ${height} where transfer_txid = any(${txids as string[]}::text[])`
  await tx`update escrows set made_height = ${height} where txid = any(${txids as string[]}::text[])`
  await tx`update listings set transfer_height = ${height} where transfer_txid = any(${txids as string[]}::text[])`
}

export async function unsetTransferHeights(tx: Transaction, height: number): Promise<void> {
  await tx`update listings set transfer_height = null where transfer_height = ${height}`
  await tx`update escrows set made_height = null where made_height = ${height}`
  await tx`update offers set transfer_height = null where transfer_height = ${height}`
}

/** An escrow coin with its listing and its spends. */
export interface HeldRow extends EscrowRow {
  inscriptionIds: string[]
  listingId: string | null
  listingState: string | null
  priceSats: number | null
  generation: number | null
  settlementTxid: string | null
  leavingPurpose: 'reclaim' | 'move' | 'recovery' | null
  leavingBy: string | null
  spender: string | null
}

/** Returns a page of an owner's escrow coins, newest first. */
export function listHeld(
  sql: Queryable,
  page: {
    sellerScripts: readonly Uint8Array[]
    after: { createdAt: string; txid: string; vout: number } | null
    rows: number
  },
): Promise<(HeldRow & { createdAtText: string })[]> {
  const { sellerScripts, after, rows } = page
  return sql<(HeldRow & { createdAtText: string })[]>`
    select ${columns(sql)}, e.created_at::text as created_at_text, held.ids as inscription_ids, l.listing_id,
      l.state as listing_state, l.price_sats, l.generation, s.settlement_txid, t.purpose as leaving_purpose,
      t.txid as leaving_by, m.spender
    from escrows e
      join lateral (select array_agg(i.inscription_id order by i.inscription_number) as ids from inscriptions i
        where i.txid = e.txid and i.vout = e.vout) held on held.ids is not null
      left join listings l on l.inscription_id = e.inscription_id and l.transfer_txid = e.txid and l.escrow_vout = e.vout
        and l.state in ('buyable', 'hidden_locked', 'pending_public')
      left join lateral (select settlement_txid from settlements s
        where s.state in ('intended', 'broadcast') and e.inscription_id = any(s.inscription_ids) limit 1) s on true
      left join mempool_spends m on m.txid = e.txid and m.vout = e.vout
      left join lateral (select t.txid, t.purpose from market_transactions t
        where t.txid in (e.leaving_txid, m.spender) and t.state = 'intended' limit 1) t on true
    where e.seller_script = any(${sellerScripts as Uint8Array[]}::bytea[])
      ${after ? sql`and (e.created_at, e.txid, e.vout) < (${after.createdAt}::text::timestamptz, ${after.txid}, ${after.vout}::bigint)` : sql``}
    order by e.created_at desc, e.txid desc, e.vout desc limit ${rows}`
}
