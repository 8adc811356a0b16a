import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { keyOfTxid } from '@ordbook/bitcoin/raw-block.ts'
import type { CoinMove, SatRow } from '@ordbook/bitcoin/sat-tree.ts'
import type { Fragment, Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { portions } from '../portions.ts'

/** Maximum rows per statement. */
const ROWS = 5000
/** Maximum coins per lookup. */
const KEYS = 50_000

export function* inParts<T>(rows: readonly T[], size = ROWS): Generator<readonly T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

/** A stored node of a coin's tree (bitcoin/sat-tree.ts). */
export interface SatNodeRow {
  satId: number
  levels: number
  parentId: number | null
  satOffset: number
  firstId: number
  txid: string | null
  vout: number | null
  outputValueSats: number | null
  ownerScript: Uint8Array | null
  lowOffset: number | null
  highOffset: number | null
  isCursed: boolean
  isReinscribed: boolean
}

const columns = (sql: Queryable) => sql`
  s.sat_id, s.levels, s.parent_id, s.sat_offset, s.first_id, s.txid, s.vout, s.output_value_sats, s.owner_script,
  s.low_offset, s.high_offset,
  coalesce((select i.cursed or i.vindicated from inscription_rows i where i.sat_id = s.sat_id order by i.sequence limit 1), false)
    as is_cursed,
  (select count(*) > 1 from (select 1 from inscription_rows i where i.sat_id = s.sat_id limit 2) several) as is_reinscribed`

/** Outputs by the key of their transaction (see `keyOfTxid`). */
export interface CoinKeys {
  keys: number[]
  vouts: number[]
}

export const coinKeysOf = (coins: readonly Outpoint[]): CoinKeys => ({
  keys: coins.map((coin) => keyOfTxid(coin.txid)),
  vouts: coins.map((coin) => coin.vout),
})

/**
 * Returns the roots of coins, including collisions of keys (index inscribed_sats_place). Reads no other outputs of the transactions, which
 * can have thousands.
 */
export async function listRoots(sql: Queryable, { keys, vouts }: CoinKeys): Promise<SatNodeRow[]> {
  const found: SatNodeRow[] = []
  // Text parameters parse faster than large arrays. `offset 0` forces lookups by index, because the planner would sort the table instead.
  for (let at = 0; at < keys.length; at += KEYS)
    for (const row of await sql<SatNodeRow[]>`
        select ${columns(sql)}
        from unnest(string_to_array(${keys.slice(at, at + KEYS).join(',')}, ',')::bigint[],
          string_to_array(${vouts.slice(at, at + KEYS).join(',')}, ',')::bigint[]) as o (key, vout)
        cross join lateral (
          select * from inscribed_sats s where txid_key(s.txid) = o.key and s.vout = o.vout and s.txid is not null offset 0) s`)
      found.push(row)
  return found
}

/** Returns the descendants of nodes up to `levels` down, upper levels first (index inscribed_sats_parent). */
export async function listBelow(
  sql: Queryable,
  satIds: readonly number[],
  levels: number,
): Promise<SatNodeRow[]> {
  const found: SatNodeRow[] = []
  for (const part of inParts(satIds))
    for (const row of await sql<SatNodeRow[]>`
      with recursive down as (
        select unnest(${part as number[]}::bigint[]) as sat_id, 0 as level
        union all
        select s.sat_id, down.level + 1 from down, lateral (
          select each.sat_id from inscribed_sats each where each.parent_id = down.sat_id offset 0) s
        where down.level < ${levels}::int)
      select ${columns(sql)} from down join inscribed_sats s using (sat_id) where down.level > 0 order by down.level`)
      found.push(row)
  return found
}

/** Returns the sats of inscriptions and all nodes up to their roots. */
export async function listPaths(
  sql: Queryable,
  inscriptionIds: readonly string[],
): Promise<{ sats: { inscriptionId: string; satId: number }[]; nodes: SatNodeRow[] }> {
  const sats: { inscriptionId: string; satId: number }[] = []
  const nodes: SatNodeRow[] = []
  for (const part of inParts(inscriptionIds)) {
    const found = await sql<{ inscriptionId: string; satId: number }[]>`
      select inscription_id, sat_id from inscription_rows where inscription_id = any(${part as string[]}::text[])`
    sats.push(...found)
    nodes.push(
      ...(await sql<SatNodeRow[]>`
        with recursive up as (
          select unnest(${found.map((row) => row.satId)}::bigint[]) as sat_id
          union
          select s.parent_id from up join inscribed_sats s using (sat_id) where s.parent_id is not null)
        select ${columns(sql)} from up join inscribed_sats s using (sat_id)`),
    )
  }
  return { sats, nodes }
}

export interface StoredSat {
  satId: number
  row: SatRow
}

const hex = (script: Uint8Array | undefined) => (script ? bytesToHex(script) : null)

/** Bytes of a row without scripts, which are sent as hex. */
const ROW_BYTES = 300
const sizeOfSat = ({ row }: { row: SatRow }) => ROW_BYTES + 2 * (row.place?.output?.script.length ?? 0)
const sizeOfMove = ({ fromOutput, toOutput }: CoinMove) =>
  ROW_BYTES + 2 * (fromOutput.script.length + (toOutput?.script.length ?? 0))

/** Builds SQL rows of nodes, preceded by named columns. */
const nodesOf = (sql: Queryable, names: Fragment, arrays: Fragment, nodes: readonly { row: SatRow }[]) => {
  const column = (of: (row: SatRow) => unknown) => nodes.map(({ row }) => of(row)) as string[]
  return sql`
    (${names}, levels, parent_id, sat_offset, first_id, txid, vout, output_value_sats, owner_script, low_offset, high_offset)
    select ${names}, levels, parent_id, sat_offset, first_id, txid, vout, value_sats, decode(script, 'hex'), low, high
    from unnest(${arrays},
    ${column((row) => row.levels)}::smallint[], ${column((row) => row.parentId)}::bigint[], ${column((row) => row.offset)}::bigint[],
    ${column((row) => row.first)}::bigint[], ${column((row) => row.place?.outpoint.txid ?? null)}::text[],
    ${column((row) => row.place?.outpoint.vout ?? null)}::bigint[],
    ${column((row) => row.place?.output?.valueSats ?? null)}::bigint[],
    ${column((row) => hex(row.place?.output?.script))}::text[], ${column((row) => row.place?.low ?? null)}::bigint[],
    ${column((row) => row.place?.high ?? null)}::bigint[]
    ) as n (${names}, levels, parent_id, sat_offset, first_id, txid, vout, value_sats, script, low, high)`
}

export async function writeSats(tx: Transaction, sats: readonly StoredSat[]): Promise<void> {
  for (const part of portions(sats, ROWS, sizeOfSat))
    await tx`
      insert into inscribed_sats ${nodesOf(
        tx,
        tx`sat_id`,
        tx`${part.map((row) => row.satId)}::bigint[]`,
        part,
      )}
      on conflict (sat_id) do update set levels = excluded.levels, parent_id = excluded.parent_id, sat_offset = excluded.sat_offset,
        first_id = excluded.first_id, txid = excluded.txid, vout = excluded.vout,
        output_value_sats = excluded.output_value_sats, owner_script = excluded.owner_script,
        low_offset = excluded.low_offset, high_offset = excluded.high_offset`
}

/**
 * Stores previous versions of changed nodes by the height at which they changed. Adoption can change a node that a block of this height
 * changed: the older version is kept.
 */
export async function saveSatChanges(
  tx: Transaction,
  rows: readonly { height: number; satId: number; row: SatRow }[],
): Promise<void> {
  for (const part of portions(rows, ROWS, sizeOfSat))
    await tx`
      insert into inscribed_sat_undo ${nodesOf(
        tx,
        tx`height, sat_id`,
        tx`${part.map((row) => row.height)}::int[], ${part.map((row) => row.satId)}::bigint[]`,
        part,
      )}
      on conflict do nothing`
}

export async function dropSatUndo(tx: Transaction, undoFrom: number): Promise<void> {
  await tx`delete from inscribed_sat_undo where height < ${undoFrom}`
}

/**
 * Restores the nodes that a block changed, and deletes the nodes that it added and `addedIds`. Adoption from an `ord` ahead of the index
 * stores versions of greater heights.
 */
export async function undoSatChanges(
  tx: Transaction,
  height: number,
  addedIds: readonly number[],
): Promise<void> {
  await tx`
    update inscribed_sats s set levels = u.levels, parent_id = u.parent_id, sat_offset = u.sat_offset, first_id = u.first_id, txid = u.txid,
      vout = u.vout, output_value_sats = u.output_value_sats, owner_script = u.owner_script, low_offset = u.low_offset,
      high_offset = u.high_offset
    from (select distinct on (sat_id) * from inscribed_sat_undo where height >= ${height} order by sat_id, height) u
    where s.sat_id = u.sat_id`
  await tx`
    delete from inscribed_sats
    where sat_id in (select sequence from inscription_rows where height = ${height})
      or sat_id = any(${addedIds as number[]}::bigint[])`
  await tx`delete from inscribed_sat_undo where height >= ${height}`
}

export interface BlockMove extends CoinMove {
  height: number
}

/** Inserts moves, which must be in order. */
export async function insertMoves(tx: Transaction, moves: readonly BlockMove[]): Promise<void> {
  let position = 0
  const rows = moves.map((move, n) => {
    position = moves[n - 1]?.height === move.height ? position + 1 : 0
    return { ...move, position }
  })
  for (const part of portions(rows, ROWS, sizeOfMove)) {
    const column = (of: (row: (typeof rows)[number]) => unknown) => part.map(of) as string[]
    await tx`
      insert into coin_moves (height, position, moved_by, from_txid, from_vout, from_script, from_offset, span, to_txid,
        to_vout, to_script, to_offset)
      select height, position, moved_by, from_txid, from_vout, decode(from_script, 'hex'), from_offset, span, to_txid,
        to_vout, decode(to_script, 'hex'), to_offset
      from unnest(${column((row) => row.height)}::int[], ${column((row) => row.position)}::int[],
        ${column((row) => (row.txid === row.to.txid ? null : row.txid))}::text[],
        ${column((row) => row.from.txid)}::text[], ${column((row) => row.from.vout)}::bigint[],
        ${column((row) => bytesToHex(row.fromOutput.script))}::text[], ${column((row) => row.fromOffset)}::bigint[],
        ${column((row) => row.span)}::bigint[], ${column((row) => row.to.txid)}::text[],
        ${column((row) => row.to.vout)}::bigint[], ${column((row) => hex(row.toOutput?.script))}::text[],
        ${column((row) => row.toOffset)}::bigint[])
        as m (height, position, moved_by, from_txid, from_vout, from_script, from_offset, span, to_txid, to_vout,
          to_script, to_offset)`
  }
}

/** Updates the locations of watched inscriptions in spent coins. */
export async function updateWatchedIn(tx: Transaction, coins: readonly Outpoint[]): Promise<void> {
  for (const part of inParts(coins))
    await tx`
      select update_watched_inscriptions(array(
        select w.inscription_id
        from unnest(${part.map((row) => row.txid)}::text[], ${part.map((row) => row.vout)}::bigint[]) as o (txid, vout)
        join watched_inscriptions w on txid_key(w.txid) = txid_key(o.txid) and w.txid = o.txid and w.vout = o.vout))`
}

export async function listWatchedIn(
  sql: Queryable,
  coins: readonly Outpoint[],
): Promise<{ inscriptionId: string; txid: string; vout: number; satOffset: number }[]> {
  const found: { inscriptionId: string; txid: string; vout: number; satOffset: number }[] = []
  for (const part of inParts(coins))
    found.push(
      ...(await sql<typeof found>`
        select i.inscription_id, i.txid, i.vout, i.sat_offset
        from unnest(${part.map((row) => row.txid)}::text[], ${part.map((row) => row.vout)}::bigint[]) as o (txid, vout)
        join watched_inscriptions w on txid_key(w.txid) = txid_key(o.txid) and w.txid = o.txid and w.vout = o.vout
        join inscriptions i on i.inscription_id = w.inscription_id`),
    )
  return found
}

/** Returns the ids of watched inscriptions that a block created or moved. */
export async function listTouchedAt(tx: Transaction, height: number): Promise<string[]> {
  const rows = await tx<{ inscriptionId: string }[]>`
    select inscription_id from inscription_rows join watched_inscriptions using (inscription_id) where height = ${height}
    union
    select w.inscription_id from coin_moves m
    join watched_inscriptions w on txid_key(w.txid) = txid_key(m.to_txid) and w.txid = m.to_txid and w.vout = m.to_vout
    where m.height = ${height}`
  return rows.map((row) => row.inscriptionId)
}

export async function listWatchedMadeAt(tx: Transaction, height: number): Promise<string[]> {
  const rows = await tx<{ inscriptionId: string }[]>`
    select inscription_id from inscription_rows join watched_inscriptions using (inscription_id) where height = ${height}`
  return rows.map((row) => row.inscriptionId)
}

export async function updateWatched(tx: Transaction, inscriptionIds: readonly string[]): Promise<void> {
  for (const part of inParts(inscriptionIds))
    await tx`select update_watched_inscriptions(${part as string[]}::text[])`
}

export async function listFirstOn(tx: Queryable, satIds: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx<{ satId: number; inscriptionId: string }[]>`
    select distinct on (sat_id) sat_id, inscription_id from inscription_rows
    where sat_id = any(${satIds as number[]}::bigint[]) order by sat_id, sequence`
  return new Map(rows.map((row) => [row.satId, row.inscriptionId]))
}
