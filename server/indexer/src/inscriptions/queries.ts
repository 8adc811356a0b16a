import type { Inscribed, InscriptionCounters } from '@ordbook/bitcoin/inscription-events.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RareMove } from '@ordbook/bitcoin/rare-sats.ts'
import { first, limitOf, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { portions } from '../portions.ts'

export interface BlockRow extends InscriptionCounters {
  height: number
  blockHash: string
  minedAt: Date
}

/** Advisory lock for changes of the index and of data derived from it. */
const INDEX_LOCK = 7_281_004

/** Locks the index until the transaction ends, so that blocks and imports do not run concurrently. */
export async function lockIndex(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${INDEX_LOCK})`
}

/** Runs an empty statement, so that PostgreSQL does not end a transaction as idle. */
export async function keepActive(tx: Transaction): Promise<void> {
  await tx`select 1`
}

export function findTip(sql: Queryable) {
  return first(sql<BlockRow[]>`
    select height, block_hash, mined_at, next_sequence, blessed_count as blessed, cursed_count as cursed,
      unbound_count as unbound, lost_sats
    from blocks order by height desc limit 1`)
}

/** Returns the tip's time and the median time of the last eleven blocks; null if the index is empty. */
export async function findChainTime(sql: Queryable): Promise<{ tipAt: Date; medianAt: Date } | null> {
  const [row] = await sql<{ tipAt: Date | null; medianAt: Date }[]>`
    select (array_agg(mined_at order by height desc))[1] as tip_at,
      percentile_disc(0.5) within group (order by mined_at) as median_at
    from (select height, mined_at from blocks order by height desc limit 11) latest`
  return row?.tipAt ? { tipAt: row.tipAt, medianAt: row.medianAt } : null
}

/** Returns the time up to which expiries are final. */
export async function findFinalTime(sql: Queryable, wall: Date): Promise<Date> {
  const [row] = await sql<{ finalTime: Date }[]>`select final_time(${wall}) as final_time`
  return row!.finalTime
}

export async function insertBlocks(tx: Transaction, blocks: readonly BlockRow[]): Promise<void> {
  const column = (of: (block: BlockRow) => unknown) => blocks.map(of) as string[]
  await tx`
    insert into blocks (height, block_hash, mined_at, next_sequence, blessed_count, cursed_count, unbound_count, lost_sats)
    select * from unnest(${column((block) => block.height)}::int[], ${column((block) => block.blockHash)}::text[],
      ${column((block) => block.minedAt.toISOString())}::timestamptz[], ${column((block) => block.nextSequence)}::bigint[],
      ${column((block) => block.blessed)}::bigint[], ${column((block) => block.cursed)}::bigint[],
      ${column((block) => block.unbound)}::bigint[], ${column((block) => block.lostSats)}::bigint[])`
}

/** Returns outputs with inscribed sats (index inscribed_sats_place). */
export function listInscribedCoins(sql: Queryable, outpoints: readonly Outpoint[]): Promise<Outpoint[]> {
  return sql<Outpoint[]>`
    select s.txid, s.vout
    from unnest(${outpoints.map((outpoint) => outpoint.txid)}::text[], ${outpoints.map((outpoint) => outpoint.vout)}::bigint[]) as o (txid, vout)
    join inscribed_sats s on txid_key(s.txid) = txid_key(o.txid) and s.txid = o.txid and s.vout = o.vout`
}

/** Returns at most `most` inscriptions in outputs, oldest first. A sat can have several. */
export function listInscriptionsIn(
  sql: Queryable,
  outpoints: readonly Outpoint[],
  most: number,
): Promise<(Outpoint & { inscriptionId: string })[]> {
  return sql<(Outpoint & { inscriptionId: string })[]>`
    select r.txid, r.vout, i.inscription_id
    from unnest(${outpoints.map((outpoint) => outpoint.txid)}::text[], ${outpoints.map((outpoint) => outpoint.vout)}::bigint[]) as o (txid, vout)
    join inscribed_sats r on txid_key(r.txid) = txid_key(o.txid) and r.txid = o.txid and r.vout = o.vout
    cross join lateral sats_in(r.sat_id) s join inscription_rows i on i.sat_id = s.sat_id
    order by i.sequence limit ${most}`
}

/** Returns an inscription on another sat of an output, or null. */
export async function findOtherIn(
  sql: Queryable,
  { txid, vout }: Outpoint,
  satOffset: number,
): Promise<string | null> {
  const [row] = await sql<{ inscriptionId: string }[]>`
    select i.inscription_id from inscribed_sats r, lateral sats_in(r.sat_id) s, lateral (
      select inscription_id from inscription_rows i where i.sat_id = s.sat_id order by sequence limit 1) i
    where txid_key(r.txid) = txid_key(${txid}) and r.txid = ${txid} and r.vout = ${vout} and s.sat_offset <> ${satOffset}
    limit 1`
  return row?.inscriptionId ?? null
}

/** One text parameter parses faster than a large array. */
const keysOf = (sql: Queryable, keys: Iterable<number>) =>
  sql`(string_to_array(${[...keys].join(',')}, ',')::bigint[])`

export interface NewInscriptionRow {
  event: Inscribed
  sat: number | null
  height: number
  minedAt: Date
}

/** Maximum rows per insert. A statement has at most 65,535 parameters. */
const ROWS = 1000

function sizeOf({ event }: NewInscriptionRow): number {
  const { body, metadata, properties, parents } = event.envelope
  return (body?.length ?? 0) + (metadata?.length ?? 0) + (properties?.length ?? 0) + 67 * parents.length
}

export async function insertInscriptions(tx: Transaction, rows: readonly NewInscriptionRow[]): Promise<void> {
  for (const portion of portions(rows, ROWS, sizeOf))
    await tx`
      insert into inscription_rows ${tx(
        portion.map(({ event, sat, height, minedAt }) => ({
          sequence: event.sequence,
          inscription_id: event.inscriptionId,
          inscription_number: event.number,
          height,
          inscribed_at: minedAt,
          cursed: event.cursed,
          vindicated: event.vindicated,
          unbound: event.unbound,
          reinscription: event.reinscription,
          parent_ids: event.parents,
          fee_sats: event.feeSats,
          born_in: event.bornIn,
          delegate_id: event.envelope.delegate,
          pointer: event.envelope.pointer,
          content_type: event.envelope.contentType,
          content_encoding: event.envelope.contentEncoding,
          metaprotocol: event.envelope.metaprotocol,
          metadata: event.envelope.metadata,
          content_length: event.envelope.body?.length ?? null,
          body: event.envelope.body,
          properties: event.envelope.properties,
          property_encoding: event.envelope.propertyEncoding,
          sat,
          sat_id: event.satId,
        })),
      )}`
}

/** Deletes a block from the index. Call it after its coins were undone. */
export async function deleteBlock(tx: Transaction, height: number): Promise<void> {
  await tx`delete from coin_moves where height = ${height}`
  await tx`delete from inscription_rows where height = ${height}`
  await tx`delete from blocks where height = ${height}`
}

/**
 * Deletes up to `most` moves that are at least `keptBlocks` deep, except moves out of escrow. Records the height reached. Returns the
 * number of deleted rows.
 */
export async function deleteOldMoves(sql: Queryable, keptBlocks: number, most: number): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    with bounds as (
      select coalesce((select value::int from settings where name = 'moves forgotten to'), -1) as forgotten,
        (select max(height) from blocks) - ${keptBlocks}::int as last),
    old as (
      select height, position from coin_moves m
      where height > (select forgotten from bounds) and height <= (select last from bounds)
        and not exists (select 1 from escrows e where e.txid = m.from_txid and e.vout = m.from_vout)
      order by height, position limit ${limitOf(sql, most)}),
    gone as (delete from coin_moves where (height, position) in (select height, position from old) returning height),
    reached as (
      select case when (select count(*) from gone) < ${most}::int then (select last from bounds)
        else (select max(height) - 1 from gone) end as height),
    kept as (
      insert into settings (name, value)
      select 'moves forgotten to', height::text from reached where height > (select forgotten from bounds)
      on conflict (name) do update set value = excluded.value)
    select count(*) as rows from gone`
  return row!.rows
}

export async function listVanished(tx: Transaction, inscriptionIds: readonly string[]): Promise<string[]> {
  const rows = await tx<{ inscriptionId: string }[]>`
    select inscription_id from unnest(${inscriptionIds as string[]}::text[]) as x (inscription_id)
    where not exists (select 1 from inscription_rows i where i.inscription_id = x.inscription_id)`
  return rows.map((row) => row.inscriptionId)
}

export async function findBlockHash(sql: Queryable, height: number): Promise<string | null> {
  const [row] = await sql<{ blockHash: string }[]>`select block_hash from blocks where height = ${height}`
  return row?.blockHash ?? null
}

/** Returns the lowest height of which the index has stored the undo data; null in an empty index. */
export async function findUndoFrom(sql: Queryable): Promise<number | null> {
  const [row] = await sql<{ height: number }[]>`
    select value::int as height from settings where name = 'undo from'`
  return row?.height ?? null
}

/** Records that blocks below `height` have no undo data. */
export async function raiseUndoFrom(tx: Transaction, height: number): Promise<void> {
  await tx`
    insert into settings (name, value) values ('undo from', ${String(height)})
    on conflict (name) do update set value = excluded.value where settings.value::int < excluded.value::int`
}

export interface InscriptionRow {
  inscriptionId: string
  sequence: number
  inscriptionNumber: number
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  ownerScript: Uint8Array | null
}

export function findInscription(sql: Queryable, inscriptionId: string) {
  return first(sql<InscriptionRow[]>`
    select inscription_id, sequence, inscription_number, txid, vout, sat_offset, output_value_sats, owner_script
    from inscriptions where inscription_id = ${inscriptionId}`)
}

export interface RareSatRow extends Outpoint {
  bornHeight: number
  satOffset: number
}

/** Returns the rare sats in outputs (index rare_sats_place). */
export function listRareSatsIn(sql: Queryable, outpoints: readonly Outpoint[]): Promise<RareSatRow[]> {
  return sql<RareSatRow[]>`
    select r.txid, r.vout, r.sat_offset, r.born_height
    from unnest(${outpoints.map((outpoint) => outpoint.txid)}::text[], ${outpoints.map((outpoint) => outpoint.vout)}::bigint[]) as o (txid, vout)
    join rare_sats r on txid_key(r.txid) = txid_key(o.txid) and r.txid = o.txid and r.vout = o.vout`
}

/** Returns rare sats by transaction key, including collisions (index rare_sats_place). */
export function listRareSatsByKey(sql: Queryable, keys: Iterable<number>): Promise<RareSatRow[]> {
  return sql<RareSatRow[]>`
    select r.txid, r.vout, r.sat_offset, r.born_height from rare_sats r where txid_key(r.txid) = any${keysOf(sql, keys)}`
}

/** Moves rare sats, in block order. Records previous locations for blocks from `undoFrom` on. */
export async function moveRareSats(
  tx: Transaction,
  rows: readonly { height: number; move: RareMove }[],
  undoFrom: number,
): Promise<void> {
  const undo = rows.filter(({ height }) => height >= undoFrom)
  const column = (of: (row: { height: number; move: RareMove }) => unknown) => undo.map(of) as string[]
  if (undo.length > 0)
    await tx`
      insert into rare_sat_moves (height, born_height, from_txid, from_vout, from_offset)
      select * from unnest(${column((block) => block.height)}::int[], ${column(({ move }) => move.bornHeight)}::int[],
        ${column(({ move }) => move.from?.txid ?? null)}::text[], ${column(({ move }) => move.from?.vout ?? null)}::bigint[],
        ${column(({ move }) => move.from?.offset ?? null)}::bigint[])`
  const last = [...new Map(rows.map(({ move }) => [move.bornHeight, move.to])).entries()]
  if (last.length > 0)
    await tx`
      insert into rare_sats (born_height, txid, vout, sat_offset)
      select * from unnest(${last.map(([born]) => born)}::int[], ${last.map(([, to]) => to?.txid ?? null)}::text[],
        ${last.map(([, to]) => to?.vout ?? null)}::bigint[], ${last.map(([, to]) => to?.offset ?? null)}::bigint[])
      on conflict (born_height) do update
        set txid = excluded.txid, vout = excluded.vout, sat_offset = excluded.sat_offset`
}

export async function dropRareSatUndo(tx: Transaction, undoFrom: number): Promise<void> {
  await tx`delete from rare_sat_moves where height < ${undoFrom}`
}

export async function undoRareSats(tx: Transaction, height: number): Promise<void> {
  await tx`
    update rare_sats r set txid = m.from_txid, vout = m.from_vout, sat_offset = m.from_offset
    from rare_sat_moves m where m.height = ${height} and r.born_height = m.born_height`
  await tx`delete from rare_sats where born_height = ${height}`
  await tx`delete from rare_sat_moves where height = ${height}`
}
