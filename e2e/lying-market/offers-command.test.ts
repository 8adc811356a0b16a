import { randomUUID } from 'node:crypto'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { counter, offer } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rested } from '../escrows/support/escrow-market.ts'
import { DeceivedUser, WORDS, walletOfWords } from '../support/command.ts'
import { enter, setUpMarket, setUpTrader, type TestTrader } from '../support/market.ts'
import { offering, selling } from '../support/offers.ts'

/** A market that prepares another offer, inscription or price than the user named. */
const market = setUpMarket()
const other = setUpTrader(market, 'p2wpkh', 9_000_000)
const wallet = walletOfWords(WORDS, 0)
const victim = new DeceivedUser()
let own: { slug: string; ids: string[] }
let others: { slug: string; ids: string[] }

beforeAll(async () => {
  await market.regtest.pay([{ valueSats: 9_000_000, script: wallet.paymentScript }])
  own = await market.collection(wallet, 6)
  others = await market.collection(other.wallet, 2)
  await market.anchors(10)
  await victim.setUp(market)
  await victim.does('sign-in')
})
afterAll(() => victim.end())

const offered = async (id: string, priceSats: number): Promise<string> =>
  (await offer(other, own.slug, await offering(market, other, [id], priceSats), 24)).items[0]!.offerId

const refused = { code: 6, json: { error: { code: 'check-failed' } } }

it('accepts no offer of a lower price, or for another inscription', async () => {
  const [id, dear] = own.ids as [string, string]
  const high = await offered(id, 60_000)
  const low = await offered(id, 20_000)
  const forDear = await offered(dear, 60_000)
  const accept = ['accept', id, high, '--price', '60_000', '--yes', '--json']
  // The preflight is of the lower offer, which the market shows at the price of the higher one.
  victim.lie({ at: '/accept/', asked: [[high, low]], told: [[low, high]] })
  expect(await victim.run(...accept)).toMatchObject(refused)
  victim.lie({
    at: '/accept/',
    asked: [
      [high, forDear],
      [id, dear],
    ],
    told: [[forDear, high]],
  })
  expect(await victim.run(...accept)).toMatchObject(refused)
  victim.lie()
  expect(await victim.run(...accept)).toMatchObject({ code: 0 })
  await market.mine()
  expect(equalBytes((await market.coinOf(dear)).script, wallet.ordinalsScript)).toBe(true)
})

it('does not pay for an offer that the market calls a counter', async () => {
  const [, , id] = own.ids as [string, string, string]
  const offerId = await offered(id, 30_000)
  victim.lie({ at: '/offers', told: [['"kind":"buyer_offer"', '"kind":"seller_counter"']] })
  const accept = ['accept', id, offerId, '--yes', '--json']
  expect(await victim.run(...accept, '--price', '30_000')).toMatchObject({
    code: 1,
    json: { error: { code: 'other-terms' } },
  })
  expect((await victim.run(...accept, '--pay', '30_000')).code).not.toBe(0)
  victim.lie()
})

it('counters with the named inscription and price only', async () => {
  const [, , id, dear] = own.ids as [string, string, string, string]
  const [offerId, forDear] = [await offered(id, 31_000), await offered(dear, 31_000)]
  const countered = ['counter', id, offerId, '--price', '80_000', '--yes', '--json']
  victim.lie({
    at: '/counter/',
    asked: [
      [offerId, forDear],
      [id, dear],
    ],
    told: [
      [forDear, offerId],
      [dear, id],
    ],
  })
  expect(await victim.run(...countered)).toMatchObject(refused)
  victim.lie({ at: '/counter/', asked: [['"priceSats":80000', '"priceSats":40000']] })
  expect(await victim.run(...countered)).toMatchObject(refused)
  victim.lie()
  expect(await victim.run(...countered)).toMatchObject({ code: 0 })
})

it('pays no higher counter', async () => {
  const [id] = others.ids as [string]
  const { items } = await victim.does('bid', id, '--price', '40_000', '--yes')
  const { offerId } = await counter(other, items[0].offerId, await selling(market, id, 90_000))
  victim.lie({ at: '/offers', told: [['"priceSats":90000', '"priceSats":50000']] })
  const accept = ['accept', id, offerId, '--yes', '--json']
  expect(await victim.run(...accept, '--pay', '50_000')).toMatchObject(refused)
  victim.lie()
  expect(await victim.run(...accept, '--pay', '90_000')).toMatchObject({ code: 0 })
  await market.mine()
})

it('relists and moves the named escrow at the named price only', async () => {
  const [, , , , cheap, dear] = own.ids as string[]
  const owner = (await enter(market.base, wallet)) as TestTrader
  await rested(market, owner, own.slug, [cheap!, dear!])
  const [cheapCoin, dearCoin] = [await market.coinOf(cheap!), await market.coinOf(dear!)]
  const relist = ['relist', `${cheap}=50_000`, '--yes', '--json']
  victim.lie({ at: '/escrows/relist', asked: [['"priceSats":50000', '"priceSats":20000']] })
  expect(await victim.run(...relist)).toMatchObject(refused)
  const swapped: [string, string][] = [
    [cheapCoin.txid, dearCoin.txid],
    [`"vout":${cheapCoin.vout}`, `"vout":${dearCoin.vout}`],
  ]
  victim.lie({ at: '/escrows/relist', asked: swapped })
  expect(await victim.run(...relist)).toMatchObject(refused)

  const move = ['move', cheap!, '--yes', '--json']
  victim.lie({ at: '/escrows/move', asked: swapped })
  expect(await victim.run(...move)).toMatchObject(refused)
  victim.lie()
  expect(await victim.run(...relist)).toMatchObject({ code: 0 })
  expect(await victim.run(...move)).toMatchObject({ code: 0 })
})

it('prints no control codes that a market puts in a name', async () => {
  const name = `\\u001b[31m${randomUUID()}\\u202e`
  victim.lie({
    at: '/items',
    told: [
      ['"itemName":null', `"itemName":"${name}"`],
      ['"name":"', `"name":"${name}`],
    ],
  })
  const { stdout } = await victim.run('browse', own.slug)
  expect(stdout).toContain('\ufffd[31m')
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  victim.lie()
})
