import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { acceptCounter, bid, buy, counter, fill, offer } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { escrowsOf, moveEscrows, reclaim, strand } from '../escrows/support/escrow-market.ts'
import {
  agreementFor,
  keyHolder,
  listAll,
  startMarket,
  type TestMarket,
  type TestTrader,
  until,
} from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'
import { KeyProcess } from './support/key-process.ts'

/**
 * Runs every request that needs the signer while the signer refuses to sign, is unavailable, or has an old journal. The API must return 409
 * or 503 with the reason and change nothing, and a retry must succeed later.
 */
const signer = new KeyProcess('signer')
const ALL = { kind: 'all' } as const
let market: TestMarket
let seller: TestTrader
let buyer: TestTrader
/** Client requests by name. Each can be retried until it succeeds. */
let asked: [name: string, ask: () => Promise<unknown>][]

beforeAll(async () => {
  await signer.start()
  market = await startMarket({
    SIGNER_SOCKET: signer.socket,
    SIGNER_SECRET_FILE: signer.secretFile,
    LOG_LEVEL: 'silent',
    ANCHOR_POOL: '100',
  })
  seller = await market.trader()
  buyer = await market.trader()
  const { trader: attacker, keys } = await keyHolder(market)
  const { slug, ids } = await market.collection(seller.wallet, 5)
  const [listed, countering, filled, taken, moved] = ids as [string, string, string, string, string]
  await listAll(market, seller, slug, [listed, taken, moved], 50_000)
  await strand(market, attacker, keys.payment, slug, [taken, moved])
  await market.mine()
  const escrows = await until('the escrows', async () => {
    const found = await escrowsOf(seller)
    return found.length === 2 && found.every((each) => each.state === 'resting') && found
  })
  const of = (id: string) => escrows.find((escrow) => escrow.inscriptionIds.includes(id))!
  const created = await offer(buyer, slug, await offering(market, buyer, [countering], 40_000))
  const { offerId } = await counter(
    seller,
    created.items[0]!.offerId,
    await selling(market, countering, 45_000),
  )
  const maker = await market.trader()
  const coins = await coinsOf(market, maker)
  const { offers } = await bid(maker, slug, { target: ALL, priceSats: 30_000, coins })
  asked = [
    ['buy', async () => buy(buyer, slug, await agreementFor(market, buyer, [listed]))],
    [
      'acceptCounter',
      async () => acceptCounter(buyer, offerId, await countered(market, buyer, countering, 45_000)),
    ],
    ['fill', async () => fill(seller, slug, offers[0]!.offerId, await selling(market, filled, 30_000, 250))],
    ['reclaim', () => reclaim(seller, [of(taken)])],
    ['move', () => moveEscrows(market, seller, [of(moved)], 'wallet')],
  ]
})
afterAll(async () => {
  await market?.stop()
  await signer.remove()
})

async function answers(): Promise<Record<string, string>> {
  const results: Record<string, string> = {}
  for (const [name, ask] of asked)
    results[name] = await ask().then(
      () => 'done',
      ({ status, message }) => `${status}: ${message}`,
    )
  return results
}
const all = (pattern: RegExp, but: Record<string, unknown> = {}) => ({
  ...Object.fromEntries(asked.map(([name]) => [name, expect.stringMatching(pattern)])),
  ...but,
})

it("returns 409 with the signer's reason", async () => {
  await signer.stop()
  await signer.start({ FEE_RATE_MAX_SAT_VB: '0.5' })
  expect(await answers()).toEqual(
    all(
      /^409: The signer of this market rejected the request: .*(exceeds the policy’s maximum|outside the policy’s range)/,
    ),
  )
})

it('returns 503 while the signer is down', async () => {
  await signer.stop()
  expect(await answers()).toEqual(all(/^503: The signer is unavailable\. Try again shortly\./))
})

it("returns 503 while the signer's journal is an older copy", async () => {
  const [right, older] = [`${signer.journal}.right`, `${signer.journal}.older`]
  await signer.start()
  await market.server.context.signer.raiseFloors([{ outpoint: `${'11'.repeat(32)}:0`, floor: 1 }])
  await signer.stop()
  copyFileSync(signer.journal, right)
  writeFileSync(
    older,
    readFileSync(right, 'latin1').trimEnd().split('\n').slice(0, -1).join('\n').concat('\n'),
  )
  copyFileSync(older, signer.journal)
  await signer.start()
  expect(await answers()).toEqual(all(/^503: The signer is not signing\. Try again shortly\./))
  await signer.stop()
  copyFileSync(right, signer.journal)
  await signer.start()
  expect(await answers()).toEqual(all(/^done$/))
})
