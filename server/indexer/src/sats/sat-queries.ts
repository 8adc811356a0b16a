import { hexToBytes, joinBytes, littleEndian } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeCoin, loadChunk } from '@ordbook/bitcoin/sat-ropes/codec.ts'
import { OUTPOINT_BYTES } from '@ordbook/bitcoin/sat-ropes/outpoint-table.ts'
import { Ropes } from '@ordbook/bitcoin/sat-ropes/ropes.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { PORTION_BYTES, portions } from '../portions.ts'
import { readSatUndo, type SatReader, type SatWrites } from './sat-batch.ts'

/** Returns whether the index numbers sats; null before the first block. */
export async function findSatIndex(sql: Queryable): Promise<'on' | 'off' | null> {
  const [row] = await sql<{ value: 'on' | 'off' }[]>`select value from settings where name = 'sats'`
  return row?.value ?? null
}

export async function setSatIndex(tx: Transaction, value: 'on' | 'off'): Promise<void> {
  await tx`insert into settings (name, value) values ('sats', ${value}) on conflict do nothing`
}

/** Maximum rows per statement. */
const ROWS = 5000

const outpoints = (sql: Queryable, part: readonly Uint8Array[]) => sql`
  (select n, substr(${joinBytes(part)}::bytea, ${OUTPOINT_BYTES}::int * n + 1, ${OUTPOINT_BYTES}::int) as outpoint
    from generate_series(0, ${part.length - 1}::int) as n)`

export class StoredSats implements SatReader {
  private readonly sql: Queryable

  constructor(sql: Queryable) {
    this.sql = sql
  }

  /** Reads coins (index sat_coins_place). */
  async coins(wanted: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
    const { sql } = this
    const found: (Uint8Array | null)[] = wanted.map(() => null)
    let from = 0
    for (const part of portions(wanted, ROWS)) {
      const rows = await sql<{ n: number; body: Uint8Array }[]>`
        select o.n, c.body from ${outpoints(sql, part)} o
        join sat_coins c on substr(c.outpoint, 25, 12) = substr(o.outpoint, 25, 12) and c.outpoint = o.outpoint`
      for (const { n, body } of rows) found[from + n] = body
      from += part.length
    }
    return found
  }

  async chunks(ids: readonly number[]): Promise<Uint8Array[]> {
    const found = new Map<number, Uint8Array>()
    for (const part of portions(ids, ROWS)) {
      const rows = await this.sql<{ id: number; body: Uint8Array }[]>`
        select id, body from sat_chunks where id = any(${part as number[]}::bigint[])`
      for (const { id, body } of rows) found.set(id, body)
    }
    return ids.map((id) => {
      const body = found.get(id)
      if (!body) throw new Error(`sat chunk ${id} does not exist`)
      return body
    })
  }

  /** Returns the id of the next new chunk. */
  async nextChunk(): Promise<number> {
    const [row] = await this.sql<{ next: number }[]>`select coalesce(max(id), 0) + 1 as next from sat_chunks`
    return row!.next
  }
}

/** Returns the sat ranges of an unspent output, or null if it has none. */
export async function findSatRanges(
  sql: Queryable,
  { txid, vout }: Outpoint,
): Promise<[from: number, to: number][] | null> {
  const stored = new StoredSats(sql)
  const [body] = await stored.coins([joinBytes([hexToBytes(txid).reverse(), littleEndian(vout, 4)])])
  if (!body) return null
  const ropes = new Ropes()
  const root = decodeCoin(ropes, body)
  const leaves: number[] = []
  ropes.forEachLeaf(root, (leaf) => {
    if (!ropes.isLoaded(leaf)) leaves.push(leaf)
  })
  const bodies = await stored.chunks(leaves.map((leaf) => ropes.chunk[leaf]!))
  for (const [i, leaf] of leaves.entries()) loadChunk(ropes, leaf, bodies[i]!)
  return ropes.list(root)
}

/** Writes the rows of a batch, and deletes undo rows below `undoFrom` with their dead chunks. */
export async function writeSatRanges(tx: Transaction, writes: SatWrites, undoFrom: number): Promise<void> {
  for (const part of portions(writes.deleted, ROWS))
    await tx`
      delete from sat_coins c using ${outpoints(tx, part)} o
      where substr(c.outpoint, 25, 12) = substr(o.outpoint, 25, 12) and c.outpoint = o.outpoint`
  for (const part of portions(writes.inserted, ROWS, ({ body }) => body.length)) {
    const { at, size, bytes } = joined(part)
    await tx`
      insert into sat_coins (outpoint, body)
      select substr(${joinBytes(part.map((row) => row.outpoint))}::bytea, ${OUTPOINT_BYTES}::int * (n - 1)::int + 1, ${OUTPOINT_BYTES}::int),
        substr(${bytes}::bytea, at, size)
      from unnest(${listOf(tx, at)}, ${listOf(tx, size)}) with ordinality as b (at, size, n)`
  }
  for (const part of portions(writes.deletedChunks, ROWS))
    await tx`delete from sat_chunks where id = any(${part as number[]}::bigint[])`
  for (const part of portions(writes.insertedChunks, ROWS, ({ body }) => body.length)) {
    const { at, size, bytes } = joined(part)
    await tx`
      insert into sat_chunks (id, body)
      select id, substr(${bytes}::bytea, at, size)
      from unnest(${part.map((row) => row.id)}::bigint[], ${listOf(tx, at)}, ${listOf(tx, size)}) as b (id, at, size)`
  }
  for (const { height, chunkFrom, body, deadChunks } of writes.undo)
    for (let part = 0; part * PORTION_BYTES < body.length; part++)
      await tx`
        insert into sat_undo (height, part, chunk_from, body, dead_chunks)
        values (${height}, ${part}, ${chunkFrom}, ${body.subarray(part * PORTION_BYTES, (part + 1) * PORTION_BYTES)},
          ${part === 0 ? deadChunks : []}::bigint[])`
  await tx`
    with expired as (delete from sat_undo where height < ${undoFrom} returning dead_chunks)
    delete from sat_chunks where id in (select unnest(dead_chunks) from expired)`
}

/** One text parameter is faster to send than an array. */
const listOf = (sql: Queryable, numbers: readonly number[]) =>
  sql`string_to_array(${numbers.join(',')}, ',')::int[]`

function joined(rows: readonly { body: Uint8Array }[]): { at: number[]; size: number[]; bytes: Uint8Array } {
  let next = 1
  const at = rows.map(({ body }) => {
    next += body.length
    return next - body.length
  })
  return { at, size: rows.map(({ body }) => body.length), bytes: joinBytes(rows.map(({ body }) => body)) }
}

/** Restores the coins of the last block. */
export async function undoSatRanges(tx: Transaction, height: number): Promise<void> {
  const rows = await tx<{ chunkFrom: number; body: Uint8Array }[]>`
    select chunk_from, body from sat_undo where height = ${height} order by part`
  const [first] = rows
  if (!first) return
  const { taken, made } = readSatUndo(joinBytes(rows.map((row) => row.body)))
  const none = { deletedChunks: [], insertedChunks: [], undo: [] }
  await writeSatRanges(tx, { ...none, deleted: made, inserted: taken }, 0)
  await tx`delete from sat_chunks where id >= ${first.chunkFrom}`
  await tx`delete from sat_undo where height = ${height}`
}

/** Returns the number of rows as of the last vacuum or analyze. */
export async function estimateSatRows(sql: Queryable): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select coalesce(sum(reltuples), 0)::bigint as rows from pg_class
    where oid in ('sat_coins'::regclass, 'sat_chunks'::regclass)`
  return row!.rows
}

/** Vacuums the tables. Cannot run in a transaction. */
export async function vacuumSats(sql: Queryable): Promise<void> {
  await sql`vacuum (skip_locked) sat_coins, sat_chunks`
}
