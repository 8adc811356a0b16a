import {
  first,
  inTransaction,
  limitOf,
  type Queryable,
  type Sql,
  type Transaction,
} from '@ordbook/db/driver/connect.ts'
import { forgetUtxoLoad } from './load-queries.ts'
import type { UtxoRow } from './utxo-row.ts'

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

export async function insertUtxoBlock(tx: Queryable, tip: UtxoTip): Promise<void> {
  await tx`
    insert into utxo_blocks (height, block_hash, script_key) values (${tip.height}, ${tip.blockHash}, ${tip.scriptKey})`
}

const columnsOf = (rows: readonly UtxoRow[]) => ({
  scripts: rows.map(({ script }) => String(script)),
  heads: rows.map(({ head }) => String(head)),
  vouts: rows.map(({ vout }) => vout),
  sats: rows.map(({ valueSats }) => valueSats),
  rests: rows.map(({ txidRest }) => txidRest),
})

/** Adds the coins of a block. */
export async function insertUtxos(tx: Transaction, height: number, rows: readonly UtxoRow[]): Promise<void> {
  const { scripts, heads, vouts, sats, rests } = columnsOf(rows)
  await tx`
    with made as (
      insert into utxos (script, head, vout, value_sats, txid_rest, height)
      select script, head, vout, value_sats, txid_rest, ${height}::int
      from unnest(${scripts}::bigint[], ${heads}::bigint[], ${vouts}::bigint[], ${sats}::bigint[], ${rests}::bytea[])
        as c (script, head, vout, value_sats, txid_rest)
      returning script, head, vout, value_sats, txid_rest, height)
    insert into utxo_changes (block_height, is_spent, script, head, vout, value_sats, txid_rest, height)
    select ${height}::int, false, script, head, vout, value_sats, txid_rest, height from made`
}

/** Removes the coins that a block spends. Returns how many there were. */
export async function spendUtxos(tx: Transaction, height: number, rows: readonly UtxoRow[]): Promise<number> {
  const { scripts, heads, vouts, sats, rests } = columnsOf(rows)
  const [row] = await tx<{ spent: number }[]>`
    with spent as (
      delete from utxos u
      using unnest(${scripts}::bigint[], ${heads}::bigint[], ${vouts}::bigint[], ${sats}::bigint[], ${rests}::bytea[])
        as c (script, head, vout, value_sats, txid_rest)
      where u.script = c.script and u.head = c.head and u.vout = c.vout and u.txid_rest = c.txid_rest
        and u.value_sats = c.value_sats
      returning u.script, u.head, u.vout, u.value_sats, u.txid_rest, u.height),
    kept as (
      insert into utxo_changes (block_height, is_spent, script, head, vout, value_sats, txid_rest, height)
      select ${height}::int, true, script, head, vout, value_sats, txid_rest, height from spent)
    select count(*) as spent from spent`
  return row!.spent
}

/** Undoes the last block. Returns how many coins it had made, and how many of them were removed. */
export async function undoUtxoBlock(
  tx: Transaction,
  height: number,
): Promise<{ made: number; removed: number }> {
  await tx`delete from utxo_blocks where height = ${height}`
  const [row] = await tx<{ made: number; removed: number }[]>`
    with undone as (
      delete from utxo_changes where block_height = ${height}
      returning is_spent, script, head, vout, value_sats, txid_rest, height),
    removed as (
      delete from utxos u using undone c
      where not c.is_spent and u.script = c.script and u.head = c.head and u.vout = c.vout and u.txid_rest = c.txid_rest
      returning u.vout),
    restored as (
      insert into utxos (script, head, vout, value_sats, txid_rest, height)
      select script, head, vout, value_sats, txid_rest, height from undone where is_spent)
    select (select count(*) from undone where not is_spent) as made, (select count(*) from removed) as removed`
  return row!
}

/** Deletes what undoes blocks up to a height. */
export async function deleteOldUtxoChanges(tx: Transaction, height: number): Promise<void> {
  await tx`delete from utxo_changes where block_height <= ${height}`
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
  await sql`truncate utxos, utxo_changes, utxo_blocks`
  await sql`commit`
  await sql`begin`
}

/** Frees the disk of the UTXOs. */
export async function removeUtxos(sql: Sql): Promise<void> {
  const [row] = await sql<{ bytes: number }[]>`
    select (pg_relation_size('utxos') + pg_relation_size('utxo_changes'))::bigint as bytes`
  if (row!.bytes === 0) return
  await inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${UTXO_LOCK})`
    await tx`truncate utxos, utxo_changes, utxo_blocks`
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
