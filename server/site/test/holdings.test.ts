import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { type HoldingPlace, listHoldingRows } from '@ordbook/site/wallet/holding-queries.ts'
import { expect, it } from 'vitest'
import { ANYONE, envelopes, leafOf, pointerTo, spend } from '../../../e2e/purchases/support/anyone.ts'
import { setUpMarket } from '../../../e2e/support/market.ts'
import { visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()

const ADDRESS = addressOfScript(ANYONE.script, 'regtest')

/** Mines an inscribing transaction with outputs of these values. */
async function inscribe(payload: Uint8Array, outputs: readonly number[]): Promise<void> {
  const leaf = leafOf(payload)
  const coin = await market.regtest.fund(
    leaf.script,
    outputs.reduce((sum, each) => sum + each, 0),
  )
  const apart = spend(
    [{ ...coin, leaf }],
    outputs.map((valueSats) => ({ valueSats, script: ANYONE.script })),
  )
  await market.regtest.mineExactly([apart])
  await market.server.sync()
}

async function walk(query: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await visit(market.server.url, `/web/v1/holdings/${ADDRESS}?${query}${cursor}`)
    expect(status, JSON.stringify(body)).toBe(200)
    ids.push(...body.holdings.map((holding: { inscriptionId: string }) => holding.inscriptionId))
    if (!body.pagination.hasNext) return ids
    cursor = `&cursor=${body.pagination.nextCursor}`
  }
}

it('listHoldings returns each inscription once', async () => {
  const apart = (count: number) =>
    envelopes(count, (n) => pointerTo(600 * Math.floor(n / 2) + (n % 2 === 0 ? 0 : 1)))
  // Coins with two inscribed sats, a coin with 150 inscriptions in random order, forty inscriptions on a sat, and single inscriptions.
  await inscribe(apart(20), Array(10).fill(600))
  await inscribe(
    envelopes(150, (n) => pointerTo(3 * ((n * 77) % 150))),
    [600],
  )
  await inscribe(envelopes(40), [600])
  await inscribe(
    envelopes(30, (n) => pointerTo(600 * n)),
    Array(30).fill(600),
  )
  // Spend two of the coins into one, which takes the position of the older coin.
  const [older, newer] = await market.sql<{ txid: string; vout: number }[]>`
    select txid, vout from inscribed_sats where owner_script = ${ANYONE.script} and low_offset = high_offset
    order by first_id desc limit 2`
  const together = spend([older!, newer!], [{ valueSats: 1200, script: ANYONE.script }])
  await market.regtest.mineExactly([together])
  await market.server.sync()
  expect(txidOf(together)).toHaveLength(64)
  const expected = await market.sql<{ inscriptionId: string }[]>`
    select inscription_id from (
      select i.*, min(i.sat_id) over (partition by txid, vout) as first_id from inscriptions i
      where owner_script = ${ANYONE.script}) held
    order by first_id desc, sat_offset, sequence`
  const ids = expected.map((row) => row.inscriptionId)
  expect(ids).toHaveLength(240)
  for (const query of ['limit=1', 'limit=7', 'limit=100', 'limit=100&q=inscription'])
    expect(await walk(query), query).toEqual(ids)
})

/** Inserts a collector with 5,000 coins, and one coin with 5,000 inscribed sats in a list. */
async function fill(tx: Transaction, script: Uint8Array): Promise<void> {
  await tx`
    insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated, unbound,
      reinscription, parent_ids, sat_id)
    select n, 'i' || n, n, 1, now(), false, false, false, false, '{}', n from generate_series(1000000, 1009999) n`
  await tx`
    insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, owner_script, low_offset, high_offset)
    select n, 1, 0, n, encode(sha256(n::text::bytea), 'hex'), 0, 600, ${script}, 0, 0 from generate_series(1000000, 1004999) n
    union all select 1005000, 1, 0, 1005000, repeat('0', 64), 0, 600, ${script}, 0, 4999`
  await tx`
    insert into inscribed_sats (sat_id, levels, parent_id, sat_offset, first_id)
    select n, 1, n - 1, 1, n from generate_series(1005001, 1009999) n`
  await tx`analyze inscribed_sats, inscription_rows`
}

it.each([
  ['the first page', null, 1_005_000, 1_005_099],
  ['a page within a coin', [1_005_000, 98, 1_005_098], 1_005_099, 1_005_198],
  ['a page of coins', [1_003_000, 0, 1_003_000], 1_002_999, 1_002_900],
] as const)('listHoldings reads few rows for %s', async (_, after, first, last) => {
  const script = Uint8Array.from([0x51, 2, 3, 4])
  const undone = new Error('undone')
  await market.sql
    .begin(async (tx) => {
      await fill(tx, script)
      const read = async () => {
        const [row] = await tx<{ count: number }[]>`
          select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as count
          from pg_stat_xact_user_tables where relname in ('inscribed_sats', 'inscription_rows')`
        return row!.count
      }
      const before = await read()
      const { rows } = await listHoldingRows(tx, {
        script,
        slug: null,
        q: null,
        after: after as HoldingPlace | null,
        rows: 100,
        looked: 100,
        now: new Date(),
      })
      const count = (await read()) - before
      expect([rows[0]!.inscriptionNumber, rows.at(-1)!.inscriptionNumber]).toEqual([first, last])
      expect(count).toBeLessThan(1000)
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
})
