import { freePort } from '@ordbook/db/process/free-port.ts'
import { buy, delist } from '@ordbook/sdk/index.ts'
import { afterAll, expect, it } from 'vitest'
import { agreementFor, enter, listAll, setUpMarket, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

const port = await freePort()
const market = setUpMarket({ PORT: String(port) })
let server: ServerProcess | undefined
afterAll(() => server?.kill('SIGTERM'))

const PURCHASES = 6

it('logs each sign-in, listing, sale, payout and void, and no warning for mined trades', async () => {
  const { wallet } = await market.trader()
  const buyer = await market.trader('p2wpkh', 100_000_000)
  const { slug, ids } = await market.collection(wallet, PURCHASES + 1)
  await market.anchors(2 * ids.length)
  await market.server.close()
  server = spawnServer(market, port, { LOG_LEVEL: 'info', tuning: { anchorSpendDelaySeconds: 0 } })
  await server.ready()
  const lines = (): Record<string, any>[] =>
    server!
      .logged()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const listOf = (message: string) => lines().filter(({ msg }) => msg === message)

  const seller = await enter(market.base, wallet)
  const listed = await listAll(market, seller, slug, ids, 50_000)
  const kept = ids.at(-1)!
  const settled: { txid: string; inscriptionId: string }[] = []
  for (const inscriptionId of ids.slice(0, -1)) {
    const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [inscriptionId]))
    settled.push({ txid: settlementTxid, inscriptionId })
    // In a block before the index and the jobs look again.
    await market.regtest.mine()
    await until('the payout', async () => listOf('sale paid out').length === settled.length)
  }
  await delist(seller, slug, [{ inscriptionId: kept, listingId: listed.get(kept)! }])
  await until('the void', async () => listOf('spent the anchors of ended listings').length > 0)

  expect(listOf('sign-in')).toEqual([expect.objectContaining({ level: 30, surface: 'api' })])
  expect(listOf('listing').map(({ listingId, priceSats }) => [listingId, priceSats])).toEqual(
    ids.map((id) => [listed.get(id), 50_000]),
  )
  expect(listOf('sale broadcast')).toEqual(
    settled.map(({ txid, inscriptionId }) =>
      expect.objectContaining({ level: 30, kind: 'purchase', txid, inscriptionIds: [inscriptionId] }),
    ),
  )
  expect(listOf('sale paid out')).toEqual(
    settled.map(({ txid, inscriptionId }) =>
      expect.objectContaining({ level: 30, txid, sales: [{ inscriptionId, priceSats: 50_000 }] }),
    ),
  )
  expect(listOf('spent the anchors of ended listings')[0]).toMatchObject({ anchors: expect.any(Number) })
  const warnings = lines().flatMap(({ level, msg }) => (level >= 40 ? [msg] : []))
  expect(warnings).toEqual(['no rune index: users may lose runes on coins that trades spend'])
  const text = server.logged()
  for (const secret of [wallet.paymentAddress, buyer.wallet.paymentAddress, 'bearer'])
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
}, 120_000)
