import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { bid, fill, GoesAlong, list } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { inscribeTogether } from '../support/bundles.ts'
import { setUpMarket, setUpTrader } from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'

const market = setUpMarket()
const owner = setUpTrader(market)
let expensiveId: string
let junk: string
beforeAll(async () => {
  ;[expensiveId, junk] = await inscribeTogether(market, owner.wallet.ordinalsScript, ['dear', 'junk'])
})

it('lists a shared sat only if all its inscriptions are named', async () => {
  const coin = await market.coinOf(expensiveId)
  expect(formatOutpoint(await market.coinOf(junk))).toBe(formatOutpoint(coin))
  const agreement = { inscriptionId: expensiveId, priceSats: 5_000_000, coin, maxFeeBps: 100 }
  const refused: GoesAlong = await list(owner, 'dear', [agreement]).catch((error) => error)
  expect(refused).toBeInstanceOf(GoesAlong)
  expect(refused.inscriptionIds).toEqual([junk])
  expect((await list(owner, 'dear', [{ ...agreement, alsoGoes: [junk] }])).listings).toHaveLength(1)
})

it('fills a bid with a shared sat only if all are named', async () => {
  const bidder = await market.trader()
  const { offers } = await bid(bidder, 'junk', {
    target: { kind: 'all' },
    priceSats: 10_000,
    coins: await coinsOf(market, bidder),
  })
  const sale = await selling(market, junk, 10_000, 300)
  await expect(fill(owner, 'junk', offers[0]!.offerId, sale)).rejects.toMatchObject({
    inscriptionIds: [expensiveId],
  })
  await fill(owner, 'junk', offers[0]!.offerId, { ...sale, alsoGoes: [expensiveId] })
  await market.mine()
  for (const id of [junk, expensiveId])
    expect((await market.coinOf(id)).script).toEqual(bidder.wallet.ordinalsScript)
})
