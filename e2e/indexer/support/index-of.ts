import { formatOutpoint, LOST } from '@ordbook/bitcoin/outpoint.ts'
import { Reader } from '@ordbook/bitcoin/reader.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { findSatRanges } from '@ordbook/indexer/sats/sat-queries.ts'
import type { SlowIndex } from './slow-index.ts'

/** Reads the index in the format of `SlowIndex`. */
export async function indexOf(sql: Sql) {
  const rows = await sql`
    select sequence, inscription_id, inscription_number as number, height, cursed, vindicated, unbound, reinscription,
      parent_ids as parents, sat, txid || ':' || vout || ':' || sat_offset as satpoint, output_value_sats as value_sats,
      encode(owner_script, 'hex') as script
    from inscriptions order by sequence`
  return [...rows]
}

export async function satsOf(sql: Sql) {
  const coins = await sql<{ outpoint: Uint8Array }[]>`select outpoint from sat_coins`
  const ranges: { key: string; ranges: number[] }[] = []
  for (const { outpoint: bytes } of coins) {
    const outpoint = new Reader(bytes).outpoint()
    ranges.push({ key: formatOutpoint(outpoint), ranges: (await findSatRanges(sql, outpoint))!.flat() })
  }
  const rare = await sql<{ bornHeight: number; satpoint: string | null }[]>`
    select born_height, txid || ':' || vout || ':' || sat_offset as satpoint from rare_sats order by born_height`
  return {
    ranges: Object.fromEntries(ranges.map((row) => [row.key, row.ranges])),
    rare: Object.fromEntries(rare.map((row) => [row.bornHeight, row.satpoint])),
  }
}

/** Converts the recomputed sats to the format of `satsOf`. */
export const slowSats = ({ coins, lost, firstSats }: SlowIndex) => ({
  ranges: Object.fromEntries([
    ...[...coins].filter(([, coin]) => coin.valueSats > 0).map(([key, coin]) => [key, coin.ranges.flat()]),
    ...(lost.length > 0 ? [[formatOutpoint(LOST), lost.flat()]] : []),
  ]),
  rare: Object.fromEntries(firstSats.map((satpoint, height) => [height, satpoint])),
})
