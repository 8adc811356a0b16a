import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { SatFlow, SatRanges } from '@ordbook/bitcoin/sat-ranges.ts'
import { json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

/** Returns whether the index numbers sats; null before the first block. */
export async function findSatIndex(sql: Queryable): Promise<'on' | 'off' | null> {
  const [row] = await sql<{ value: 'on' | 'off' }[]>`select value from settings where name = 'sats'`
  return row?.value ?? null
}

export async function setSatIndex(tx: Transaction, value: 'on' | 'off'): Promise<void> {
  await tx`insert into settings (name, value) values ('sats', ${value}) on conflict do nothing`
}

/** Maximum outputs and range bounds per statement or row. */
const COINS = 5000
const BOUNDS = 100_000

function* parts<T>(coins: readonly T[], boundsOf: (coin: T) => number): Generator<readonly T[]> {
  let [from, bounds] = [0, 0]
  for (const [at, coin] of coins.entries()) {
    if (at > from && (at - from === COINS || bounds + boundsOf(coin) > BOUNDS)) {
      yield coins.slice(from, at)
      from = at
      bounds = 0
    }
    bounds += boundsOf(coin)
  }
  if (from < coins.length) yield coins.slice(from)
}

export async function listSatRanges(
  sql: Queryable,
  outpoints: readonly Outpoint[],
): Promise<(Outpoint & { ranges: number[] })[]> {
  const found: (Outpoint & { ranges: number[] })[] = []
  for (const part of parts(outpoints, () => 0)) {
    const rows = await sql<(Outpoint & { ranges: number[] })[]>`
      select s.txid, s.vout, s.ranges
      from unnest(${part.map((outpoint) => outpoint.txid)}::text[], ${part.map((outpoint) => outpoint.vout)}::bigint[]) as o (txid, vout)
      join sat_ranges s on s.txid = o.txid and s.vout = o.vout`
    for (const row of rows) found.push(row)
  }
  return found
}

/** Replaces the ranges of spent outputs with the ranges of created outputs. */
export async function moveSats(
  tx: Transaction,
  { made, spent }: { made: readonly { outpoint: Outpoint; ranges: SatRanges }[]; spent: readonly Outpoint[] },
): Promise<void> {
  for (const part of parts(spent, () => 0))
    await tx`
      delete from sat_ranges s
      using unnest(${part.map((outpoint) => outpoint.txid)}::text[], ${part.map((outpoint) => outpoint.vout)}::bigint[]) as o (txid, vout)
      where s.txid = o.txid and s.vout = o.vout`
  for (const part of parts(made, ({ ranges }) => ranges.length))
    await tx`
      insert into sat_ranges (txid, vout, ranges)
      select txid, vout, string_to_array(ranges, ',')::bigint[]
      from unnest(${part.map(({ outpoint }) => outpoint.txid)}::text[], ${part.map(({ outpoint }) => outpoint.vout)}::bigint[],
        ${part.map(({ ranges }) => ranges.join(','))}::text[]) as m (txid, vout, ranges)`
}

/** Stores spent and created ranges for undo, and deletes records below `undoFrom`. */
export async function saveSatUndo(
  tx: Transaction,
  blocks: readonly { height: number; flow: Pick<SatFlow, 'taken' | 'made'> }[],
  undoFrom: number,
): Promise<void> {
  for (const { height, flow } of blocks) {
    if (height < undoFrom) continue
    let number = 0
    const insert = (taken: SatFlow['taken'], made: readonly Outpoint[]) =>
      tx`
        insert into sat_undo (height, part, taken, made)
        values (${height}, ${number++}, ${json(
          tx,
          taken.map(({ outpoint: { txid, vout }, ranges }) => [txid, vout, ranges]),
        )}, ${json(
          tx,
          made.map(({ txid, vout }) => [txid, vout]),
        )})`
    for (const part of parts(flow.taken, ({ ranges }) => ranges.length)) await insert([...part], [])
    for (const part of parts(flow.made, () => 0)) await insert([], part)
  }
  await tx`delete from sat_undo where height < ${undoFrom}`
}

export async function undoSats(tx: Transaction, height: number): Promise<void> {
  await tx`
    delete from sat_ranges s using sat_undo u, jsonb_array_elements(u.made) as m
    where u.height = ${height} and s.txid = m ->> 0 and s.vout = (m ->> 1)::bigint`
  await tx`
    insert into sat_ranges (txid, vout, ranges)
    select t ->> 0, (t ->> 1)::bigint, array(select jsonb_array_elements_text(t -> 2)::bigint)
    from sat_undo u, jsonb_array_elements(u.taken) as t where u.height = ${height}`
  await tx`delete from sat_undo where height = ${height}`
}
