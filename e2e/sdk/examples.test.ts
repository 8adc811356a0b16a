import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { bid, buy, cancelBid, fill, keysOf, list } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { rested } from '../escrows/support/escrow-market.ts'
import { agreementFor, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'
import { type KeyedTrader, keyedTraders, Program } from '../support/programs.ts'

const market = setUpMarket({ ANCHOR_POOL: '120' })
let owner: KeyedTrader
let bot: KeyedTrader
const programs: Program[] = []
afterEach(() => {
  for (const program of programs.splice(0)) program.kill()
})

function start(name: string, args: readonly string[], env: Record<string, string> = {}): Program {
  const program = new Program(market, name, args, env)
  programs.push(program)
  return program
}

async function scene(count: number): Promise<{ slug: string; ids: string[] }> {
  const traders = await keyedTraders(market, 2)
  ;[owner, bot] = traders as [KeyedTrader, KeyedTrader]
  await market.anchors(10)
  return market.collection(owner.wallet, count)
}

async function listAt(slug: string, inscriptionId: string, priceSats: number): Promise<void> {
  const coin = await market.coinOf(inscriptionId)
  await list(owner, slug, [{ inscriptionId, priceSats, coin, maxFeeBps: 500 }])
}

const isHeldBy = async ({ wallet }: TestTrader, id: string) =>
  equalBytes((await market.coinOf(id)).script, wallet.ordinalsScript)
const bidsIn = async (slug: string) =>
  (await owner.client.call('listCollectionOfferBook', { params: { slug } })).rows
const listingsOf = async ({ client, wallet }: TestTrader, slug: string) =>
  (
    await client.call('listListings', {
      query: { collectionSlug: slug, sellerAddress: wallet.ordinalsAddress },
    })
  ).listings

it('floor-watcher reports moved floors', async () => {
  const { slug, ids } = await scene(4)
  await listAt(slug, ids[0]!, 300_000)
  const program = start('floor-watcher.ts', [slug, '5'], { KEYS: bot.keysFile })
  await program.line((line) => line.floorSats === 300_000)
  await listAt(slug, ids[1]!, 250_000)
  await program.line((line) => line.floorSats === 250_000)
  await listAt(slug, ids[2]!, 249_000)
  await listAt(slug, ids[3]!, 200_000)
  const last = await program.line((line) => line.floorSats === 200_000)
  const { data } = await owner.client.call('listCollectionFloorStats', { query: { slugs: slug } })
  expect(data[0]!.floor).toBe(last.floorSats)
  expect(program.lines.map((line) => line.floorSats)).toEqual([300_000, 250_000, 200_000])
  expect(await program.stop()).toBe(0)
})

it('sweep-bot buys cheap listings', async () => {
  const { slug, ids } = await scene(4)
  const [first, second, dear, later] = ids as [string, string, string, string]
  await listAt(slug, first, 60_000)
  await listAt(slug, second, 70_000)
  await listAt(slug, dear, 200_000)
  const program = start('sweep-bot.ts', [slug, '100000', '400000'], { KEYS: bot.keysFile })
  await program.line((line) => line.settlementTxid)
  await listAt(slug, later, 80_000)
  await until('the purchase of the later listing', async () => program.lines.length === 2)
  expect(await program.stop()).toBe(0)
  await market.mine()
  for (const id of [first, second, later]) expect(await isHeldBy(bot, id)).toBe(true)
  expect((await listingsOf(owner, slug)).map(({ inscriptionId }) => inscriptionId)).toEqual([dear])
})

it('market-maker renews its quotes after a trade', async () => {
  const { slug, ids } = await scene(2)
  const [sold] = ids as [string]
  const program = start('market-maker.ts', [slug, '200000'], { KEYS: bot.keysFile })
  const rows = await until('the ladder', async () => {
    const found = await bidsIn(slug)
    return found.length === 3 && found
  })
  expect(rows.map(({ priceSats }) => priceSats)).toEqual([190_000, 185_000, 180_000])
  await fill(owner, slug, rows[0]!.id, await selling(market, sold, 190_000, 500))
  await until('the next ladder', async () => {
    const ids = (await bidsIn(slug)).map(({ id }) => id)
    return ids.length === 3 && !rows.some(({ id }) => ids.includes(id))
  })
  await market.mine()
  const [asked] = await until('the bought inscription to be listed', async () => {
    const found = await listingsOf(bot, slug)
    return found.length > 0 && found
  })
  expect(asked).toMatchObject({ inscriptionId: sold, priceSats: 210_000 })
  expect(await program.stop()).toBe(0)
  expect(await bidsIn(slug)).toEqual([])
  expect(await listingsOf(bot, slug)).toEqual([])
})

it('trait-bidder keeps the best bid on its trait', async () => {
  const { slug, ids } = await scene(2)
  const lights = ids.map((id, n) => ({
    id,
    meta: {
      name: `${slug} #${n}`,
      attributes: [{ trait_type: 'Light', value: n === 0 ? 'Green' : 'White' }],
    },
  }))
  const folder = join(market.dataDir, slug)
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(lights))
  await loadCollections(market.sql, folder, { now: new Date() })
  const rival = await market.trader()
  const target = { kind: 'traits' as const, traits: [{ type: 'Light', values: ['Green'] }] }
  const outbid = async (priceSats: number) =>
    (await bid(rival, slug, { target, priceSats, coins: await coinsOf(market, rival) })).offers[0]!.offerId

  await outbid(60_000)
  const program = start('trait-bidder.ts', [slug, 'Light', 'Green', '50000', '90000'], { KEYS: bot.keysFile })
  await program.line((line) => line.priceSats === 65_000)
  await outbid(80_000)
  const { offerId } = await program.line((line) => line.priceSats === 85_000)
  // The bot does not outbid the rival above its limit.
  const expensiveBid = await outbid(95_000)
  await cancelBid(rival, slug, expensiveBid)
  const bids = (await bidsIn(slug)).filter(({ makerAddress }) => makerAddress === bot.wallet.paymentAddress)
  expect(bids).toMatchObject([{ id: offerId, priceSats: 85_000, target }])
  await fill(owner, slug, offerId, await selling(market, ids[0]!, 85_000, 500))
  await market.mine()
  expect(await program.end()).toBe(0)
  expect(program.lines).toHaveLength(2)
  expect(await isHeldBy(bot, ids[0]!)).toBe(true)
})

it('live-events resumes after a restart', async () => {
  const { slug, ids } = await scene(2)
  const file = join(market.dataDir, 'last-event')
  const before = start('live-events.ts', [file])
  await before.line(({ kind }) => kind === 'hello')
  await listAt(slug, ids[0]!, 100_000)
  await before.line(({ kind, data }) => kind === 'listing' && data.inscriptionId === ids[0])
  expect(await before.stop()).toBe(0)
  await listAt(slug, ids[1]!, 110_000)
  const after = start('live-events.ts', [file])
  await after.line(({ kind, data }) => kind === 'listing' && data.inscriptionId === ids[1])
  const seen = new Set(before.lines.filter(({ kind }) => kind !== 'hello').map(({ id }) => id))
  expect(after.lines.filter(({ kind, id }) => kind !== 'hello' && seen.has(id)).length).toBeLessThanOrEqual(1)
  expect(await after.stop()).toBe(0)
})

it("portfolio values the wallet's holdings", async () => {
  const { slug, ids } = await scene(2)
  await listAt(slug, ids[0]!, 100_000)
  await bid(owner, slug, { target: { kind: 'all' }, priceSats: 40_000, coins: await coinsOf(market, owner) })
  const program = start('portfolio.ts', [], { KEYS: owner.keysFile })
  expect(await program.end()).toBe(0)
  const coins = await coinsOf(market, owner)
  expect(JSON.parse(program.output)).toEqual({
    address: owner.wallet.ordinalsAddress,
    inscriptions: 2,
    atFloorSats: 200_000,
    atBestOfferSats: 0,
    listed: 1,
    askedSats: 100_000,
    inEscrow: 0,
    bidSats: 40_000,
    spendableSats: coins.reduce((sum, { valueSats }) => sum + valueSats, 0),
    coinsKeptBack: 0,
  })
})

it('verify-receipt rejects a receipt with other terms', async () => {
  const { slug, ids } = await scene(1)
  await listAt(slug, ids[0]!, 100_000)
  const { settlementTxid, costSats } = await buy(bot, slug, await agreementFor(market, bot, ids))
  await market.mine()
  const honest = start('verify-receipt.ts', [settlementTxid])
  expect(await honest.end()).toBe(0)
  expect(JSON.parse(honest.output)).toMatchObject({ txid: settlementTxid, confirmations: 1, costSats })

  const receipt = await owner.client.call('getReceipt', { params: { txid: settlementTxid } })
  receipt.terms.items[0]!.sellerReceiveSats -= 1000
  const liar = createServer((_, response) => response.end(JSON.stringify(receipt)))
  await new Promise<void>((done) => liar.listen(0, '127.0.0.1', done))
  onTestFinished(() => void liar.close())
  const MARKET = `http://127.0.0.1:${(liar.address() as AddressInfo).port}`
  const cheated = start('verify-receipt.ts', [settlementTxid], { MARKET })
  expect(await cheated.end()).toBe(1)
  expect(cheated.output).toContain('is invalid: the seller of')
})

it('exit-escrow withdraws an inscription without a market', async () => {
  const { slug, ids } = await scene(1)
  const [escrow] = await rested(market, owner, slug, ids)
  expect(await isHeldBy(owner, ids[0]!)).toBe(false)
  const { cosignKey } = await keysOf(owner)
  const program = start('exit-escrow.ts', [`${escrow!.txid}:${escrow!.vout}`, '5'], {
    KEYS: owner.keysFile,
    COSIGN_KEY: cosignKey,
    MARKET: 'http://127.0.0.1:1',
  })
  expect(await program.end()).toBe(0)
  await market.mine()
  expect(await isHeldBy(owner, ids[0]!)).toBe(true)
})

it('p2p-swap exchanges two inscriptions', async () => {
  const { ids } = await scene(1)
  const other = await market.collection(bot.wallet, 1)
  const proposer = start('p2p-swap.ts', ['propose', ids[0]!, other.slug], { KEYS: owner.keysFile })
  const { proposalId } = await proposer.line((line) => line.proposalId)
  const acceptor = start('p2p-swap.ts', ['accept', proposalId, other.ids[0]!], { KEYS: bot.keysFile })
  expect(await acceptor.end()).toBe(0)
  expect(await proposer.end()).toBe(0)
  await market.mine()
  expect(await isHeldBy(bot, ids[0]!)).toBe(true)
  expect(await isHeldBy(owner, other.ids[0]!)).toBe(true)
})

it('sign-in prints a token, and list makes a listing', async () => {
  const { first: wallet } = demoWallets('regtest')
  await market.regtest.pay([{ valueSats: 200_000, script: wallet.paymentScript }])
  await market.mine()
  const { slug, ids } = await market.collection(wallet, 1)
  await market.anchors(10)
  const signIn = start('../../docs/examples/sign-in.ts', [])
  expect(await signIn.end()).toBe(0)
  const me = await fetch(`${market.base}/me`, {
    headers: { authorization: `Bearer ${signIn.output.trim()}` },
  })
  expect(((await me.json()) as any).walletBindings[0].ordinalsAddress).toBe(wallet.ordinalsAddress)

  const lister = start('../../docs/examples/list.ts', [slug])
  expect(await lister.end()).toBe(0)
  const { client } = await market.trader()
  const { listings } = await client.call('listListings', { query: { collectionSlug: slug } })
  expect(listings.map(({ inscriptionId, priceSats }) => [inscriptionId, priceSats])).toEqual([
    [ids[0], 250_000],
  ])
  expect(lister.output).toContain(listings[0]!.listingId)
})
