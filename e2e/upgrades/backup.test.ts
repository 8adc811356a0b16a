import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bid, buy, cancelBid, delist } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agreementFor, enter, freshDatabase, listAll, type TestTrader, until } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { coinsOf } from '../support/offers.ts'
import { buildBundle } from './support/bundles.ts'
import { fund, type InstalledMarket, installMarket } from './support/installed.ts'
import { runMarket } from './support/installed-program.ts'
import { bundlesFor, olderVersions } from './support/older-versions.ts'

/**
 * Backs up a trading market of an older version with its own command, and restores it with this version, with and without the key journals.
 * Trading must resume, and orders that ended after the backup must not be revived.
 */
const PRICE_SATS = 30_000
const ALL = { kind: 'all' } as const
const folder = mkdtempSync(join(tmpdir(), 'ordbook-older-'))
const ownBundle = join(folder, 'bundle')
const passphrase = join(folder, 'passphrase')
const HOLDERS = ['signer', 'guardian'] as const

beforeAll(async () => {
  await buildBundle(ownBundle)
  writeFileSync(passphrase, 'twelve bridges over the river\n')
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(olderVersions())('from $version', (from) => {
  const { version } = from
  let newer: string
  const place = (name: string) => join(folder, version, name)
  let node: TestNode
  let wallets: Record<'seller' | 'buyer' | 'bidder', TestTrader>
  let slug: string
  let listed: Map<string, string>
  /** Inscriptions that were delisted after the backup, bought after it, or unchanged. */
  let delistedId: string
  let sold: string
  let kept: string
  let alsoKept: string
  /** The first offer is cancelled after the backup, the second stays open. */
  let offers: string[]

  beforeAll(async () => {
    mkdirSync(join(folder, version))
    const bundles = await bundlesFor(from, ownBundle)
    const { older } = bundles
    newer = bundles.newer
    node = await startNode()
    const market = await installMarket(older, { hosts: 1, node })
    try {
      await trade(market)
      await backUpWhileTrading(market, older)
      await tradeOn(market)
      for (const program of [...market.servers, ...market.signers, ...market.guardians]) await program.stop()
      for (const [n, { folder: of }] of [market.signers[0]!, market.guardians[0]!].entries())
        cpSync(of, place(HOLDERS[n]!), { recursive: true })
    } finally {
      await market.stop()
    }
  }, 900_000)
  afterAll(async () => {
    await node?.stop()
    if (newer !== ownBundle) rmSync(newer, { recursive: true, force: true })
  })

  async function trade(market: InstalledMarket): Promise<void> {
    await fund(market)
    wallets = {
      seller: await market.trader(2),
      buyer: await market.trader(5),
      bidder: await market.trader(2),
    }
    const { seller, bidder } = wallets
    const collection = await market.collection(seller.wallet, 6)
    slug = collection.slug
    ;[delistedId, sold, kept, alsoKept] = collection.ids as [string, string, string, string]
    listed = await listAll(market, seller, slug, [delistedId, sold, kept, alsoKept], PRICE_SATS)
    offers = []
    for (const coin of await coinsOf(market, bidder)) {
      const created = await bid(bidder, slug, { target: ALL, priceSats: PRICE_SATS, coins: [coin] })
      offers.push(created.offers[0]!.offerId)
    }
    otherIds = collection.ids.slice(4)
  }
  let otherIds: string[]

  async function backUpWhileTrading(market: InstalledMarket, older: string): Promise<void> {
    const { seller } = wallets
    let isOver = false
    let listings = 0
    const trade = async () => {
      for (; !isOver; listings++) {
        const placed = await listAll(market, seller, slug, otherIds, PRICE_SATS)
        await delist(
          seller,
          slug,
          [...placed].map(([inscriptionId, listingId]) => ({ inscriptionId, listingId })),
        )
      }
    }
    const trading = trade()
    await until('some trades', async () => listings > 0)
    const backup = await runMarket(older, market.settings, 'backup', place('market.backup'))
    isOver = true
    await trading
    expect(backup).toEqual({ code: 0, said: expect.stringMatching(/\d+ rows of \d+ tables/) })
    for (const [n, { folder: keys }] of [market.signers[0]!, market.guardians[0]!].entries())
      expect(
        await runMarket(
          older,
          { DATA_DIR: keys },
          ...['keys', 'backup', place(`${HOLDERS[n]}.keys`), '--passphrase-file', passphrase],
        ),
      ).toMatchObject({ code: 0 })
  }

  async function tradeOn(market: InstalledMarket): Promise<void> {
    const { seller, bidder, buyer } = wallets
    await delist(seller, slug, [{ inscriptionId: delistedId, listingId: listed.get(delistedId)! }])
    await cancelBid(bidder, slug, offers[0]!)
    await buyOne(market, buyer, sold)
    await market.mine()
  }

  async function buyOne(market: InstalledMarket, buyer: TestTrader, id: string): Promise<void> {
    const { coins, ...agreement } = await agreementFor(market, buyer, [id])
    await buy(buyer, slug, { ...agreement, coins: [coins[0]!] })
  }

  async function restore(journals: 'kept' | 'lost'): Promise<InstalledMarket> {
    const databaseUrl = await freshDatabase()
    const settings = { DATABASE_URL: databaseUrl, DATA_DIR: place('none') }
    const flags = journals === 'kept' ? ['--journals-kept'] : []
    const restored = await runMarket(newer, settings, 'restore', place('market.backup'), ...flags)
    expect(restored).toEqual({ code: 0, said: expect.stringMatching(/restored \d+ rows/) })
    const keys = { signer: place(`${journals}-signer`), guardian: place(`${journals}-guardian`) }
    for (const holder of HOLDERS)
      if (journals === 'kept') cpSync(place(holder), keys[holder], { recursive: true })
      else
        expect(
          await runMarket(
            newer,
            { DATA_DIR: keys[holder] },
            ...['keys', 'restore', place(`${holder}.keys`), '--passphrase-file', passphrase],
          ),
        ).toMatchObject({ code: 0 })
    const installation = { hosts: 1 as const, node, databaseUrl, keys }
    if (journals === 'kept') return installMarket(newer, installation)
    await expect(installMarket(newer, installation)).rejects.toThrow(/RESET_JOURNAL=on/)
    return installMarket(newer, { ...installation, more: { RESET_JOURNAL: 'on' } })
  }

  const statesIn = async ({ sql }: InstalledMarket) =>
    Object.fromEntries(
      (
        await sql<{ id: string; state: string }[]>`
          select listing_id as id, state from listings union all select offer_id, state from collection_offers`
      ).map(({ id, state }) => [id, state]),
    )

  /** Lists an unlisted item, buys another one, and runs `check`. */
  async function tradesOn(market: InstalledMarket, toBuy: string): Promise<void> {
    const base = `${market.url}/api/v1`
    const [seller, buyer] = [
      await enter(base, wallets.seller.wallet),
      await enter(base, wallets.buyer.wallet),
    ]
    const states = await statesIn(market)
    const toList = states[listed.get(toBuy)!] === 'buyable' ? [delistedId] : [delistedId, toBuy]
    await listAll(market, seller, slug, toList, PRICE_SATS)
    await buyOne(market, buyer, toBuy)
    await market.mine()
    expect((await market.coinOf(toBuy)).script).toEqual(buyer.wallet.ordinalsScript)
    const { code, said } = await runMarket(newer, market.settings, 'check')
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('no difference') })
  }

  it('continues on another host with surviving journals', async () => {
    const market = await restore('kept')
    try {
      await until('the cancelled offer to end', async () => {
        const states = await statesIn(market)
        return states[listed.get(delistedId)!] === 'cancelled' && states[offers[0]!] === 'cancelled'
      })
      const states = await statesIn(market)
      expect(states[listed.get(kept)!]).toBe('buyable')
      expect(states[listed.get(sold)!]).not.toBe('buyable')
      expect(states[offers[1]!]).toBe('active')
      await tradesOn(market, kept)
    } finally {
      await market.stop()
    }
  })

  it('ends every order if the journals are lost', async () => {
    const market = await restore('lost')
    try {
      const states = await statesIn(market)
      for (const id of [...[delistedId, kept, alsoKept].map((each) => listed.get(each)!), ...offers])
        expect(states[id], id).toBe('cancelled')
      expect(states[listed.get(sold)!]).not.toBe('buyable')
      await tradesOn(market, alsoKept)
    } finally {
      await market.stop()
    }
  })
})
