import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Regtest } from '@ordbook/devnet/regtest.ts'

/** Returns an inscription's coin and the offset of its sat. Throws if it is not indexed. */
export async function coinIn(sql: Sql, id: string): Promise<Coin & { offset: number }> {
  const [row] = await sql<
    { txid: string; vout: number; outputValueSats: number; ownerScript: Uint8Array; satOffset: number }[]
  >`
    select txid, vout, output_value_sats, owner_script, sat_offset from inscriptions where inscription_id = ${id}`
  if (!row) throw new Error(`${id} is not in the index`)
  const { txid, vout, outputValueSats: valueSats, ownerScript: script, satOffset: offset } = row
  return { txid, vout, valueSats, script, offset }
}

export async function freeCoins(sql: Sql): Promise<{ anchors: number; tails: number }> {
  const [row] = await sql<{ anchors: number; tails: number }[]>`
    select count(*) filter (where value_sats = 330)::int as anchors,
      count(*) filter (where value_sats between 10000 and 40000)::int as tails
    from market_coins where spent_height is null and not retired and reserved_for is null`
  return row!
}

/** Lets the market split coins until `count` anchors and some tail coins are free. */
export async function makeAnchors(
  { sql, regtest }: { sql: Sql; regtest: Regtest },
  count: number,
): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const { anchors, tails } = await freeCoins(sql)
    if (anchors >= count && tails >= 4) return
    await new Promise((done) => setTimeout(done, 100))
    if ((await regtest.call<string[]>('getrawmempool')).length > 0) await regtest.mine()
  }
  throw new Error('the market did not split its coins')
}
