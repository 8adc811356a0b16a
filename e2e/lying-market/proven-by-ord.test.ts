import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { listCoins, proveByOrd } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { setUpMarket } from '../support/market.ts'
import { traderAtStorefront } from '../support/storefront.ts'

const market = setUpMarket()

it('classifies coins with a trusted ord server', async () => {
  const { wallet } = await market.trader('p2tr')
  const trader = await traderAtStorefront(market.server.url, wallet)
  const [inscribed, other] = (await market.collection(wallet, 2)).ids as [string, string]
  const { txid, vout, valueSats } = await market.coinOf(inscribed)
  const { plain } = await listCoins(trader, proveByOrd(market.server.url))
  expect(plain.length).toBeGreaterThan(0)

  const originalCall = trader.client.call.bind(trader.client)
  const { txid: otherTxid, vout: otherVout } = await market.coinOf(other)
  const lies = [
    { txid, vout, valueSats },
    { txid: otherTxid, vout: otherVout, valueSats: 60_000 },
    { txid: 'ab'.repeat(32), vout: 0, valueSats: 60_000 },
  ]
  trader.client.call = (async (id: 'listCoins', input: object) => {
    const answer = await originalCall(id, input)
    return { ...answer, coins: [...lies, ...answer.coins] }
  }) as typeof trader.client.call

  const found = await listCoins(trader, proveByOrd(market.server.url))
  expect(found.plain).toEqual(plain)
  expect(found.inscribed.map(({ coin, inscriptionId }) => [formatOutpoint(coin), inscriptionId])).toEqual([
    [`${txid}:${vout}`, inscribed],
  ])
  expect(found.unproven.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('the server reports'),
    expect.stringContaining('returned 404'),
  ])
  const unproven = await listCoins(trader)
  expect(unproven.plain).toEqual([])
  expect(unproven.unproven).toHaveLength(plain.length + lies.length)
})
