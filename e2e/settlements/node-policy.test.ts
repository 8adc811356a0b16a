import { bid, buy, fill, offer } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { agreementFor, listAll, setUpMarket, until } from '../support/market.ts'
import { hasBitcoind, nodeKind } from '../support/node.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'

const market = setUpMarket({ LOG_LEVEL: 'silent' }, hasBitcoind() ? 'bitcoind' : nodeKind)

const statusNow = async () => {
  await market.server.context.policy.refresh()
  const answer = await fetch(`${market.server.url}/status`)
  return (await answer.json()) as { trading: string; notTraded: { trade: string; reason: string }[] }
}
/** Restarts the node with flags, and waits until `/status` reports these trades as unavailable. */
const restartWith = async (flags: readonly string[], trades: readonly string[]) => {
  await market.node.restart('SIGTERM', flags)
  await until(`a market without ${trades.join() || 'nothing'}`, async () => {
    const { trading, notTraded } = await statusNow().catch(() => ({ trading: 'paused', notTraded: [] }))
    return trading === 'open' && notTraded.map(({ trade }) => trade).join() === trades.join()
  })
}

it('makes every trade on a node with package relay', async () => {
  expect((await statusNow()).notTraded).toEqual([])
  expect(await market.regtest.call('getrawmempool')).toEqual([])
})

if (hasBitcoind())
  it('rejects trades that the node would not relay', async () => {
    const [seller, buyer, bidder] = [await market.trader(), await market.trader(), await market.trader()]
    const { slug, ids } = await market.collection(seller.wallet, 4)
    const [first, second, third, fourth] = ids as [string, string, string, string]
    await listAll(market, seller, slug, [first, second], 50_000)
    const makeBid = async () =>
      bid(bidder, slug, { target: { kind: 'all' }, priceSats: 60_000, coins: await coinsOf(market, bidder) })
    const { offers } = await makeBid()
    const sellInto = async () =>
      fill(seller, slug, offers[0]!.offerId, await selling(market, third, 60_000, 250))

    await restartWith(['-corepolicy=0'], ['collection-offers'])
    const noBids = {
      status: 503,
      message: expect.stringMatching(/cannot trade collection offers.*version 3/),
    }
    await expect(makeBid()).rejects.toMatchObject(noBids)
    await expect(sellInto()).rejects.toMatchObject(noBids)
    const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, [first]))
    expect(await market.regtest.call('getrawmempool')).toContain(settlementTxid)
    await market.mine()

    await restartWith(['-minrelaytxfee=0.00002'], ['listings', 'counters'])
    const noListings = {
      status: 503,
      message: expect.stringMatching(
        /cannot trade listings.*1.95 sat\/vB.*minimum relay fee of the Bitcoin node is 2 sat/,
      ),
    }
    await expect(listAll(market, seller, slug, [fourth], 50_000)).rejects.toMatchObject(noListings)
    await expect(buy(buyer, slug, await agreementFor(market, buyer, [second]))).rejects.toMatchObject(
      noListings,
    )
    await offer(buyer, slug, await offering(market, buyer, [fourth], 40_000))
    expect(await market.regtest.call('getrawmempool')).toEqual([])

    await restartWith([], [])
    await market.server.sync()
    const filled = await sellInto()
    expect(await market.regtest.call('getrawmempool')).toContain(filled.settlementTxid)
  })
