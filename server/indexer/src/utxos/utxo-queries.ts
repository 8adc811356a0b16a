import {
  first,
  inTransaction,
  limitOf,
  type Queryable,
  type Sql,
  type Transaction,
} from '@ordbook/db/driver/connect.ts'
import { forgetUtxoLoad } from './load-queries.ts'
import { packUtxos, type StoredUtxo, type UtxoRow, unpackUtxos } from './utxo-row.ts'

export interface UtxoTip {
  height: number
  blockHash: string
  /** Key of `scriptHasher`. */
  scriptKey: Uint8Array
}

/** Advisory lock of the tables of UTXOs. */
const UTXO_LOCK = 7_281_009

/** Returns the last block of the UTXOs; null if they have yet to be loaded. */
export function findUtxoTip(sql: Queryable): Promise<UtxoTip | null> {
  return first(sql<UtxoTip[]>`
    select height, block_hash, script_key from utxo_blocks order by height desc limit 1`)
}

/**
 * Returns at most `most` UTXOs of a script, with txids in serialization order, and the height of the last block. Null if the UTXOs were
 * loaded again, with another key.
 */
export async function listUtxos(
  sql: Queryable,
  { scriptKey, script }: { scriptKey: Uint8Array; script: bigint },
  most: number,
): Promise<{ tipHeight: number; coins: { txid: Uint8Array; vout: number; valueSats: number }[] } | null> {
  const rows = await sql<
    { tipHeight: number; txid: Uint8Array | null; vout: number | null; valueSats: number | null }[]
  >`
    select t.height as tip_height, u.txid, u.vout, u.value_sats
    from (select height, script_key from utxo_blocks order by height desc limit 1) t
    left join lateral (
      select substring(int8send(head) for 6) || txid_rest as txid, vout, value_sats
      from utxos where script = ${String(script)}::bigint limit ${limitOf(sql, most)}) u on true
    where t.script_key = ${scriptKey}`
  if (rows.length === 0) return null
  const coins = rows.flatMap(({ txid, vout, valueSats }) =>
    txid === null ? [] : [{ txid, vout: vout!, valueSats: valueSats! }],
  )
  return { tipHeight: rows[0]!.tipHeight, coins }
}

/** Makes the UTXOs unknown, so that they are loaded again. */
export async function forgetUtxos(sql: Queryable): Promise<void> {
  await sql`delete from utxo_blocks`
}

/**
 * Locks the tables until the transaction ends. Joins use the index, because the planner does not know the size of tables that were just
 * loaded.
 */
export async function lockUtxos(tx: Transaction): Promise<void> {
  await tx`
    select pg_advisory_xact_lock(${UTXO_LOCK}), set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true), set_config('enable_seqscan', 'off', true)`
}

export async function hasUtxoBlock(sql: Queryable, height: number): Promise<boolean> {
  return (await sql`select 1 from utxo_blocks where height = ${height}`).length > 0
}

/** Adds a block, with the coins that it made and spent. */
export async function insertUtxoBlock(
  tx: Queryable,
  tip: UtxoTip,
  { made, spent }: Record<'made' | 'spent', readonly StoredUtxo[]> = { made: [], spent: [] },
): Promise<void> {
  await tx`
    insert into utxo_blocks (height, block_hash, script_key, made, spent)
    values (${tip.height}, ${tip.blockHash}, ${tip.scriptKey}, ${packUtxos(made)}, ${packUtxos(spent)})`
}

const columnsOf = (rows: readonly UtxoRow[]) => ({
  scripts: rows.map(({ script }) => String(script)),
  heads: rows.map(({ head }) => String(head)),
  vouts: rows.map(({ vout }) => vout),
  sats: rows.map(({ valueSats }) => valueSats),
  rests: rows.map(({ txidRest }) => txidRest),
})

export async function insertUtxos(tx: Transaction, rows: readonly StoredUtxo[]): Promise<void> {
  const { scripts, heads, vouts, sats, rests } = columnsOf(rows)
  await tx`
    insert into utxos (script, head, vout, value_sats, txid_rest, height)
    select * from unnest(${scripts}::bigint[], ${heads}::bigint[], ${vouts}::bigint[], ${sats}::bigint[], ${rests}::bytea[],
      ${rows.map(({ height }) => height)}::int[])`
}

/** Removes coins, and returns the heights of those that were found, in the order of `rows`. */
export async function deleteUtxos(tx: Transaction, rows: readonly UtxoRow[]): Promise<number[]> {
  const { scripts, heads, vouts, sats, rests } = columnsOf(rows)
  const [row] = await tx<{ heights: number[] }[]>`
    with removed as (
      delete from utxos u
      using unnest(${scripts}::bigint[], ${heads}::bigint[], ${vouts}::bigint[], ${sats}::bigint[], ${rests}::bytea[])
        with ordinality as c (script, head, vout, value_sats, txid_rest, n)
      where u.script = c.script and u.head = c.head and u.vout = c.vout and u.txid_rest = c.txid_rest
        and u.value_sats = c.value_sats
      returning c.n, u.height)
    select coalesce(array_agg(height order by n), '{}') as heights from removed`
  return row!.heights
}

/** Removes a block, and returns the coins that it made and spent. */
export async function deleteUtxoBlock(
  tx: Transaction,
  height: number,
): Promise<{ made: StoredUtxo[]; spent: StoredUtxo[] }> {
  const [row] = await tx<{ made: Uint8Array; spent: Uint8Array }[]>`
    delete from utxo_blocks where height = ${height} returning made, spent`
  return { made: unpackUtxos(row!.made), spent: unpackUtxos(row!.spent) }
}

/** Deletes the blocks below a height, which cannot be undone any more. */
export async function deleteOldUtxoBlocks(tx: Transaction, height: number): Promise<void> {
  await tx`delete from utxo_blocks where height < ${height}`
}

/**
 * Empties the tables, and begins the transaction that loads them. Only emptying them blocks lookups, and fails if it has to wait for long.
 * Nobody else writes until the session ends.
 */
export async function beginLoad(sql: Queryable): Promise<void> {
  await sql`select pg_advisory_lock(${UTXO_LOCK})`
  await sql`begin`
  await sql`set local lock_timeout = '2s'`
  await sql`drop index if exists utxos_script`
  await sql`truncate utxos, utxo_blocks`
  await sql`commit`
  await sql`begin`
}

/** Frees the disk of the UTXOs. */
export async function removeUtxos(sql: Sql): Promise<void> {
  const [row] = await sql<{ bytes: number }[]>`
    select (pg_relation_size('utxos') + pg_relation_size('utxo_blocks'))::bigint as bytes`
  if (row!.bytes === 0) return
  await inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${UTXO_LOCK})`
    await tx`truncate utxos, utxo_blocks`
    await forgetUtxoLoad(tx)
  })
}

/** Rows are written by `CopyRows`. */
export const COPY_UTXOS =
  'copy utxos (script, head, value_sats, vout, height, txid_rest) from stdin (format binary)'

/** Indexes the loaded rows. New rows of a full page would move to other pages, so pages keep room. */
export async function indexUtxos(sql: Queryable): Promise<void> {
  await sql`create index utxos_script on utxos (script, head) with (fillfactor = 70)`
}

export async function commitLoad(sql: Queryable): Promise<void> {
  await sql`commit`
}
