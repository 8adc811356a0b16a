import { randomBytes } from 'node:crypto'
import { checkRollups } from '@ordbook/server/rollups/check.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startMarket, type TestMarket } from './support/market.ts'

/** Inscriptions in outputs that are valid and large. */
let market: TestMarket
beforeAll(async () => {
  market = await startMarket()
})
afterAll(() => market?.stop())

/** OP_RETURN and bytes that do not compress. */
const scriptOf = (bytes: number) => Uint8Array.from([0x6a, ...randomBytes(bytes - 1)])

it.each([2_700, 10_000])('indexes an inscription in an output whose script has %i bytes', async (bytes) => {
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

it('counts an owner of a collection whose script has 10,000 bytes', async () => {
  const owner = { ordinalsScript: scriptOf(10_000) } as Parameters<TestMarket['collection']>[0]
  const { slug } = await market.collection(owner, 2)
  expect(await checkRollups(market.server.context)).toEqual([])
  const [row] = await market.sql`
    select owner_count from collection_counts join collections using (collection_id) where slug = ${slug}`
  expect(row!.ownerCount).toBe(1)
})
