import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { bid, fill, GoesAlong, list } from '@ordbook/sdk/index.ts'
import { beforeAll, expect, it } from 'vitest'
import { importAs, setUpMarket, setUpTrader } from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'

/** Two inscriptions share a sat and are in two collections. A seller of one must name the other. */
const market = setUpMarket()
const owner = setUpTrader(market)
let dear: string
let junk: string
beforeAll(async () => {
  const coin = await market.regtest.fund(taprootScriptOf(FAUCET_KEY), 200_000)
  const piece = (text: string) => ({
    contentType: 'text/plain',
    body: new TextEncoder().encode(text),
    pointer: 0,
  })
  const { commit, reveal } = buildInscribe(coin, [piece('dear'), piece('junk')], {
    privateKey: FAUCET_KEY,
    feeRateSatVb: 2,
    outputs: [{ valueSats: 10_000, script: owner.wallet.ordinalsScript }],
  })
  await market.regtest.mineExactly([commit, reveal])
  await market.server.sync()
  ;[dear, junk] = [`${txidOf(reveal)}i0`, `${txidOf(reveal)}i1`]
  await importAs(market, 'dear', [dear])
  await importAs(market, 'junk', [junk])
})

it('lists no inscription with another on its sat, unless the seller names it', async () => {
  const coin = await market.coinOf(dear)
  expect(formatOutpoint(await market.coinOf(junk))).toBe(formatOutpoint(coin))
  const agreement = { inscriptionId: dear, priceSats: 5_000_000, coin, maxFeeBps: 100 }
  const refused: GoesAlong = await list(owner, 'dear', [agreement]).catch((error) => error)
  expect(refused).toBeInstanceOf(GoesAlong)
  expect(refused.inscriptionIds).toEqual([junk])
  expect((await list(owner, 'dear', [{ ...agreement, alsoGoes: [junk] }])).listings).toHaveLength(1)
})

it('sells none into a bid on the other’s collection, unless the seller names it', async () => {
  const bidder = await market.trader()
  const { offers } = await bid(bidder, 'junk', {
    target: { kind: 'all' },
    priceSats: 10_000,
    coins: await coinsOf(market, bidder),
  })
  const sale = await selling(market, junk, 10_000, 300)
  await expect(fill(owner, 'junk', offers[0]!.offerId, sale)).rejects.toMatchObject({
    inscriptionIds: [dear],
  })
  await fill(owner, 'junk', offers[0]!.offerId, { ...sale, alsoGoes: [dear] })
  await market.mine()
  for (const id of [junk, dear])
    expect((await market.coinOf(id)).script).toEqual(bidder.wallet.ordinalsScript)
})
