import { randomBytes } from 'node:crypto'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { expect, it } from 'vitest'
import { ANYONE, envelopes, leafOf, pointerTo, spend } from '../purchases/support/anyone.ts'
import { setUpMarket, type TestMarket } from '../support/market.ts'
import { indexOf } from './support/index-of.ts'
import { startOrd } from './support/ord-server.ts'
import { JsonChain } from './support/random-chain.ts'
import { withSecondIndex } from './support/second-index.ts'
import { recompute } from './support/slow-index.ts'

const market = setUpMarket()

/** Returns an OP_RETURN with random bytes, which do not compress. */
const scriptOf = (bytes: number) => Uint8Array.from([0x6a, ...randomBytes(bytes - 1)])

it.each([2_700, 10_000])('indexes an inscription in an output with a script of %i bytes', async (bytes) => {
  const script = scriptOf(bytes)
  const [id] = await market.regtest.inscribe([
    {
      inscription: { contentType: 'text/plain', body: new Uint8Array(3) },
      owner: script,
      postageSats: 1_000,
    },
  ])
  await market.server.sync()
  expect((await market.coinOf(id!)).script).toEqual(script)
})

it('counts an owner with a script of 10,000 bytes', async () => {
  const owner = { ordinalsScript: scriptOf(10_000) } as Parameters<TestMarket['collection']>[0]
  const { slug } = await market.collection(owner, 2)
  expect(await checkRollups(market.server.context)).toEqual([])
  const [row] = await market.sql`
    select owner_count from collection_counts join collections using (collection_id) where slug = ${slug}`
  expect(row!.ownerCount).toBe(1)
})

/** Digests of all tables that blocks change. */
async function tables(sql: Queryable = market.sql) {
  const [row] = await sql<
    Record<'inscriptions' | 'sats' | 'undo' | 'moves' | 'watched' | 'places', string>[]
  >`
    select
      (select md5(string_agg(i::text, '|' order by sequence)) from inscription_rows i) as inscriptions,
      (select md5(string_agg(s::text, '|' order by sat_id)) from inscribed_sats s) as sats,
      (select md5(string_agg(u::text, '|' order by height, sat_id)) from inscribed_sat_undo u) as undo,
      (select md5(string_agg(m::text, '|' order by height, position)) from coin_moves m) as moves,
      (select md5(string_agg(w::text, '|' order by inscription_id)) from watched_inscriptions w) as watched,
      (select md5(string_agg(r.txid || r.vout || d.sat_id || d.sat_offset, '|' order by d.sat_id))
        from inscribed_sats r, sats_in(r.sat_id) d where r.txid is not null) as places`
  return row!
}
const countAt = async (table: string, height: number) => {
  const [row] = await market.sql<{ rows: number }[]>`
    select count(*)::int as rows from ${market.sql(table)} where height = ${height}`
  return row!.rows
}
const bytesOf = async () => {
  const [row] = await market.sql<{ bytes: number }[]>`
    select sum(pg_relation_size(c.oid))::bigint as bytes from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')`
  return row!.bytes
}
const tip = () => market.regtest.call<number>('getblockcount')

/** Reveals envelopes into one coin. */
async function revealed(payload: Uint8Array, valueSats: number) {
  const leaf = leafOf(payload)
  const coin = await market.regtest.fund(leaf.script, valueSats)
  const tx = spend([{ ...coin, leaf }], [{ valueSats, script: ANYONE.script }])
  await market.regtest.mineExactly([tx])
  await market.server.sync()
  return { txid: txidOf(tx), vout: 0 }
}

/** Disconnects and reconnects blocks. Expects `below` in between and the initial state afterwards. */
async function throughReorg(blocks: number, below: Awaited<ReturnType<typeof tables>>) {
  const above = await tables()
  const hash = await market.regtest.call<string>('getblockhash', (await tip()) - blocks + 1)
  await market.regtest.call('invalidateblock', hash)
  await market.server.sync()
  expect(await tables()).toEqual(below)
  await market.regtest.call('reconsiderblock', hash)
  await market.server.sync()
  expect(await tables()).toEqual(above)
}

it('moves 54,285 inscriptions with one row per move', async () => {
  const coin = await revealed(envelopes(54_285), 10_000)
  const [held] = await market.sql`
    select count(*)::int as count from inscriptions where txid = ${coin.txid} and sat_offset = 0`
  expect(held!.count).toBe(54_285)
  const below = await tables()
  await market.regtest.mineExactly([])
  await market.server.sync()
  const before = await bytesOf()
  const transfers: Tx[] = []
  for (let n = 0; n < 5; n++)
    transfers.push(
      spend(
        [n === 0 ? coin : { txid: txidOf(transfers[n - 1]!), vout: 0 }],
        [{ valueSats: 10_000, script: ANYONE.script }],
      ),
    )
  await market.regtest.mineExactly(transfers)
  await market.server.sync()
  const height = await tip()
  expect(await countAt('coin_moves', height)).toBe(5)
  expect(await countAt('inscribed_sat_undo', height)).toBe(1)
  expect((await bytesOf()) - before).toBeLessThan(20 * 8192)
  const [moved] = await market.sql`
    select count(*)::int as count from inscriptions where txid = ${txidOf(transfers[4]!)} and sat_offset = 0`
  expect(moved!.count).toBe(54_285)
  await throughReorg(2, below)
})

it('splits and merges 20,000 inscribed sats with few rows', async () => {
  const count = 20_000
  const mergedOutput = { valueSats: 3 * count, script: ANYONE.script }
  let coin = await revealed(
    envelopes(count, (n) => pointerTo(3 * n)),
    mergedOutput.valueSats,
  )
  const below = await tables()
  const rounds = 40
  const transactions: Tx[] = []
  for (let round = 0; round < rounds; round++) {
    const at = 3 * (1 + ((round * 7_919) % (count - 1)))
    const divide = spend(
      [coin],
      [
        { valueSats: at, script: ANYONE.script },
        { valueSats: mergedOutput.valueSats - at, script: ANYONE.script },
      ],
    )
    const txid = txidOf(divide)
    const join = spend(
      [
        { txid, vout: 0 },
        { txid, vout: 1 },
      ],
      [mergedOutput],
    )
    coin = { txid: txidOf(join), vout: 0 }
    transactions.push(divide, join)
  }
  // Mine one transaction per block, because rows that end up unchanged within a block are not written.
  let written = 0
  for (const transaction of transactions.slice(0, 10)) {
    await market.regtest.mineExactly([transaction])
    await market.server.sync()
    written += await countAt('inscribed_sat_undo', await tip())
  }
  expect(written / 10).toBeLessThan(60)
  await market.regtest.mineExactly(transactions.slice(10))
  await market.server.sync()
  expect(await countAt('coin_moves', await tip())).toBe(4 * (rounds - 5))
  const rows = await market.sql<{ n: number; txid: string; satOffset: number }[]>`
    select i.pointer / 3 as n, i.txid, i.sat_offset from inscriptions i
    where i.pointer is not null and i.txid = ${coin.txid} order by i.pointer`
  expect(rows).toHaveLength(count)
  expect(rows.every((row, n) => row.n === n && row.satOffset === 3 * n)).toBe(true)
  await throughReorg(11, below)
})

it('moves a coin merged from thousands with one row', async () => {
  const outputs = Array.from({ length: 3_000 }, () => ({ valueSats: 400, script: ANYONE.script }))
  const coin = await revealed(
    envelopes(3_000, (n) => pointerTo(400 * n)),
    400 * 3_000,
  )
  const apart = spend([coin], outputs)
  await market.regtest.mineExactly([apart])
  await market.server.sync()
  expect(await countAt('coin_moves', await tip())).toBe(3_000)
  const txid = txidOf(apart)
  const together = spend(
    outputs.map((_, vout) => ({ txid, vout })),
    [{ valueSats: 400 * 3_000, script: ANYONE.script }],
  )
  await market.regtest.mineExactly([together])
  await market.server.sync()
  const below = await tables()
  const onward = spend(
    [{ txid: txidOf(together), vout: 0 }],
    [{ valueSats: 400 * 3_000, script: ANYONE.script }],
  )
  await market.regtest.mineExactly([onward])
  await market.server.sync()
  expect(await countAt('coin_moves', await tip())).toBe(1)
  expect(await countAt('inscribed_sat_undo', await tip())).toBe(1)
  await throughReorg(1, below)
})

it('ignores 20,000 invalid parents of an inscription', async () => {
  const parent = await revealed(envelopes(1), 1_000)
  const claims = (n: number) => [1, 3, 32, ...(n === 0 ? hexToBytes(parent.txid).reverse() : randomBytes(32))]
  const leaf = leafOf(
    Uint8Array.from([
      ...[0x00, 0x63, 3, 0x6f, 0x72, 0x64],
      ...Array.from({ length: 20_000 }, (_, n) => claims(n)).flat(),
      0x68,
    ]),
  )
  const coin = await market.regtest.fund(leaf.script, 10_000)
  const child = spend([{ ...coin, leaf }, parent], [{ valueSats: 11_000, script: ANYONE.script }])
  await market.regtest.mineExactly([child])
  await market.server.sync()
  const [row] =
    await market.sql`select parent_ids from inscriptions where inscription_id = ${`${txidOf(child)}i0`}`
  expect(row!.parentIds).toEqual([`${parent.txid}i0`])
})

it('matches locations recomputed from the chain', async () => {
  const chain = await new JsonChain(market.regtest).read()
  const slow = recompute(chain).inscriptions
  expect(slow.length).toBeGreaterThan(70_000)
  expect(await indexOf(market.sql)).toEqual(slow)
})

it('has the same rows if the chain is read in other batches', async () => {
  const { watched: _, ...expected } = await tables()
  await withSecondIndex(market.node.url, async (sql) => expect(await tables(sql)).toMatchObject(expected))
})

if (process.env.ORDBOOK_TEST_ORD)
  it('matches the locations of a real ord', async () => {
    const real = await startOrd(market)
    await real.sync()
    const client = new Ord(real.url).within({ milliseconds: 120_000 })
    const rows = await market.sql<{ id: string; number: number; satpoint: string; parents: string[] }[]>`
      select inscription_id as id, inscription_number as number, txid || ':' || vout || ':' || sat_offset as satpoint,
        parent_ids as parents
      from inscriptions order by sequence`
    expect(rows.length).toBeGreaterThan(70_000)
    expect((await client.numbering()).inscriptions).toBe(rows.length)
    // ord takes seconds per hundred inscriptions in an output, so compare every 100th.
    const ours = rows.filter((_, n) => n % 100 === 0)
    const theirs = await client.inscriptions(ours.map((row) => row.id))
    expect(theirs.map(({ id, number, satpoint, parents }) => ({ id, number, satpoint, parents }))).toEqual([
      ...ours,
    ])
    await real.stop()
  })
