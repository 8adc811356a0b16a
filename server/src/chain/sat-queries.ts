import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { SatFlow, SatRanges } from '@ordbook/bitcoin/sat-ranges.ts'
import { json, type Queryable, type Transaction } from '../db/connect.ts'

/** Whether this index numbers sats; null before its first block. */
export async function findSatIndex(sql: Queryable): Promise<'on' | 'off' | null> {
  const [row] = await sql<{ value: 'on' | 'off' }[]>`select value from settings where name = 'sats'`
  return row?.value ?? null
}

export async function setSatIndex(tx: Transaction, value: 'on' | 'off'): Promise<void> {
  await tx`insert into settings (name, value) values ('sats', ${value}) on conflict do nothing`
}

/** The sats of these outputs. */
export function listSatRanges(
  sql: Queryable,
  outpoints: readonly Outpoint[],
): Promise<(Outpoint & { ranges: number[] })[]> {
  return sql<(Outpoint & { ranges: number[] })[]>`
    select s.txid, s.vout, s.ranges
    from unnest(${outpoints.map((each) => each.txid)}::text[], ${outpoints.map((each) => each.vout)}::bigint[]) as o (txid, vout)
    join sat_ranges s on s.txid = o.txid and s.vout = o.vout`
}

/** Writes where sats are after some blocks. */
export async function moveSats(
  tx: Transaction,
  { made, spent }: { made: readonly { outpoint: Outpoint; ranges: SatRanges }[]; spent: readonly Outpoint[] },
): Promise<void> {
  await tx`
    delete from sat_ranges s
    using unnest(${spent.map((each) => each.txid)}::text[], ${spent.map((each) => each.vout)}::bigint[]) as o (txid, vout)
    where s.txid = o.txid and s.vout = o.vout`
  await tx`
    insert into sat_ranges (txid, vout, ranges)
    select txid, vout, string_to_array(ranges, ',')::bigint[]
    from unnest(${made.map(({ outpoint }) => outpoint.txid)}::text[], ${made.map(({ outpoint }) => outpoint.vout)}::bigint[],
      ${made.map(({ ranges }) => ranges.join(','))}::text[]) as m (txid, vout, ranges)`
}

/** Keeps what undoing blocks needs, and drops what nobody will undo any more. */
export async function keepSatUndo(
  tx: Transaction,
  blocks: readonly { height: number; flow: Pick<SatFlow, 'taken' | 'made'> }[],
  undoFrom: number,
): Promise<void> {
  for (const { height, flow } of blocks) {
    if (height < undoFrom) continue
    const taken = flow.taken.map(({ outpoint: { txid, vout }, ranges }) => [txid, vout, ranges])
    const made = flow.made.map(({ txid, vout }) => [txid, vout])
    await tx`
      insert into sat_undo (height, taken, made) values (${height}, ${json(tx, taken)}, ${json(tx, made)})`
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
