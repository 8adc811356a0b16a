import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { first, limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { InscriptionRow } from '../inscriptions/queries.ts'

export interface RecursiveRow extends InscriptionRow {
  height: number
  inscribedAt: Date
  feeSats: number | null
  sat: number | null
  bornIn: 'op_return' | 'lost' | null
  cursed: boolean
  vindicated: boolean
  unbound: boolean
  reinscription: boolean
}

const columns = (sql: Queryable) => sql`
  i.inscription_id, i.sequence, i.inscription_number, i.height, i.inscribed_at, i.fee_sats, i.sat, i.txid, i.vout,
  i.sat_offset, i.output_value_sats, i.owner_script, i.born_in, i.cursed, i.vindicated, i.unbound, i.reinscription`

export interface ContentFacts {
  contentType: string | null
  contentLength: number | null
  delegateId: string | null
}

export function findRecursive(sql: Queryable, inscriptionId: string) {
  return first(sql<(RecursiveRow & ContentFacts)[]>`
    select ${columns(sql)}, i.content_type, i.content_length, i.delegate_id
    from inscriptions i where i.inscription_id = ${inscriptionId}`)
}

/** Returns the metadata of an inscription; null if it has none, undefined if it is unknown. */
export async function findMetadata(
  sql: Queryable,
  inscriptionId: string,
): Promise<Uint8Array | null | undefined> {
  const [row] = await sql<{ metadata: Uint8Array | null }[]>`
    select metadata from inscriptions where inscription_id = ${inscriptionId}`
  return row?.metadata
}

/** Returns whether the index read an inscription from a block: it is known, and not copied from `ord`. */
export async function wasReadFromBlock(sql: Queryable, inscriptionId: string): Promise<boolean> {
  const [row] = await sql`
    select 1 from inscription_rows where inscription_id = ${inscriptionId} and adopted_height is null`
  return row !== undefined
}

export interface Slice {
  offset: number
  rows: number
}

/** Returns a page of parent ids in claim order; null if the inscription is unknown. */
export async function listParentIds(
  sql: Queryable,
  inscriptionId: string,
  { offset, rows }: Slice,
): Promise<string[] | null> {
  // Keep the offset within an int. No inscription has this many parents.
  const from = Math.min(offset, 4_000_000) + 1
  const [row] = await sql<{ ids: string[] }[]>`
    select parent_ids[${from}::int : ${from + rows - 1}::int] as ids from inscriptions
    where inscription_id = ${inscriptionId}`
  return row?.ids ?? null
}

/** Returns inscriptions by id, in the same order. Omits unknown inscriptions. */
export function listRecursiveParents(sql: Queryable, ids: readonly string[]): Promise<RecursiveRow[]> {
  return sql<RecursiveRow[]>`
    select ${columns(sql)} from unnest(${ids as string[]}::text[]) with ordinality as p (inscription_id, n)
    join inscriptions i using (inscription_id) order by p.n`
}

/** Returns a page of children in order of sequence (index inscriptions_parents). */
export function listRecursiveChildren(
  sql: Queryable,
  inscriptionId: string,
  page: Slice,
): Promise<RecursiveRow[]> {
  return sql<RecursiveRow[]>`
    select ${columns(sql)} from inscriptions i
    where i.parent_ids <> '{}' and i.parent_ids @> array[${inscriptionId}]::text[] order by i.sequence
    offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

/** Returns a page of a sat's inscriptions, oldest first, or newest first if `newest`. */
export function listOnSat(
  sql: Queryable,
  sat: number,
  page: Slice & { newest: boolean },
): Promise<{ inscriptionId: string }[]> {
  return sql<{ inscriptionId: string }[]>`
    select inscription_id from inscriptions where sat = ${sat}
    order by sequence ${page.newest ? sql`desc` : sql`asc`} offset ${page.offset} limit ${limitOf(sql, page.rows)}`
}

/** Returns the inscription ids in an output, and its value if it is indexed. */
export async function findInOutput(
  sql: Queryable,
  { txid, vout }: Outpoint,
  mostRows: number,
): Promise<{ ids: string[]; valueSats: number | null }> {
  // As an array, the sats are looked up by index (inscriptions_on_sat). Joined, PostgreSQL expects many and scans the table.
  const rows = await sql<{ inscriptionId: string; outputValueSats: number | null }[]>`
    with roots as materialized (
      select sat_id, output_value_sats from inscribed_sats
      where txid_key(txid) = txid_key(${txid}) and txid = ${txid} and vout = ${vout})
    select inscription_id, (select output_value_sats from roots limit 1) as output_value_sats from inscription_rows
    where sat_id = any(array(select s.sat_id from roots, lateral sats_in(roots.sat_id) s))
    order by sequence limit ${limitOf(sql, mostRows)}`
  return { ids: rows.map((row) => row.inscriptionId), valueSats: rows[0]?.outputValueSats ?? null }
}

/** Returns an indexed block, or the last one if `height` is null. */
export function findBlock(sql: Queryable, height: number | null) {
  return first(sql<{ height: number; blockHash: string; minedAt: Date }[]>`
    select height, block_hash, mined_at from blocks
    where ${height === null ? sql`true` : sql`height = ${height}`} order by height desc limit 1`)
}
