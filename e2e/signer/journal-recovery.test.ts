import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { backUp } from '@ordbook/operations/backup/backup.ts'
import { restore } from '@ordbook/operations/backup/restore.ts'
import { bid, buy, cancelOffer, delist, fill, offer, prepareBid } from '@ordbook/sdk/index.ts'
import { backUpKeys, restoreKeys } from '@ordbook/signer-host/sealed-keys.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  agreementFor,
  enter,
  freshDatabase,
  keyHolder,
  listAll,
  serveAgain,
  startMarket,
  type TestMarket,
  until,
} from '../support/market.ts'
import { coinsOf, offering, selling } from '../support/offers.ts'

/** Recovers from the loss of a host: the database, the keys and the journals are restored from backups or missing. */
let market: TestMarket
const folder = mkdtempSync(join(tmpdir(), 'ordbook-lost-'))
const archive = join(folder, 'market.backup')
const dataDir = join(folder, 'data')
const PASSPHRASE = 'twelve bridges over the river'
const ALL = { kind: 'all' } as const
/** Anchors of ended listings stay unspent, so the chain does not invalidate them. */
const SETTINGS = { tuning: { anchorSpendDelaySeconds: 86400 }, LOG_LEVEL: 'silent' }
beforeAll(async () => {
  market = await startMarket(SETTINGS)
})
afterAll(async () => {
  await market?.stop()
  rmSync(folder, { recursive: true })
})

const start = (databaseUrl: string, settings: Record<string, string> = {}) =>
  serveAgain(market, databaseUrl, { ...SETTINGS, DATA_DIR: dataDir, ...settings })

async function stop(): Promise<void> {
  await market.server.close()
  await market.sql.end()
}

it('ends every order whose cancel may be lost', async () => {
  const [seller, buyer] = [await market.trader(), await market.trader('p2wpkh', 40_000_000)]
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const [gone, kept, free] = ids as [string, string, string]
  const listed = await listAll(market, seller, slug, [gone, kept], 123_000)
  const { offers } = await bid(buyer, slug, {
    target: ALL,
    priceSats: 40_000,
    coins: await coinsOf(market, buyer),
  })
  const legs = await market.sql<{ outpoint: string; generation: number }[]>`
    select transfer_txid || ':0' as outpoint, (terms ->> 'generation')::int as generation from listings`
  expect(legs).toHaveLength(2)

  await backUp(market.databaseUrl, archive, new Date())
  cpSync(market.dataDir, dataDir, { recursive: true })
  await delist(seller, slug, [{ inscriptionId: gone, listingId: listed.get(gone)! }])
  await stop()

  const databaseUrl = await freshDatabase()
  await restore(databaseUrl, archive, { areJournalsKept: false })
  await expect(start(databaseUrl)).rejects.toThrow(/once with RESET_JOURNAL=on/)
  await start(databaseUrl, { RESET_JOURNAL: 'on' })
  const states = async () =>
    (
      await market.sql<{ state: string }[]>`
        select state from listings union all select state from collection_offers order by 1`
    ).map(({ state }) => state)
  expect(await states()).toEqual(['cancelled', 'cancelled', 'cancelled'])
  // The keys no longer sign for these orders, whatever the database contains.
  const { signer } = market.server.context
  const floors = await signer.floors(legs.map(({ outpoint }) => outpoint))
  for (const [i, { generation }] of legs.entries()) expect(floors[i]!.floor).toBeGreaterThan(generation)
  const [offer] = await market.sql<{ revokedAt: Date | null }[]>`
    select revoked_at from collection_offers where offer_id = ${offers[0]!.offerId}`
  expect(offer!.revokedAt).not.toBeNull()

  // Wallets can create orders once the mempool has been polled.
  await until('open trading', async () => {
    const { trading } = (await (await fetch(`${market.server.url}/status`)).json()) as { trading: string }
    return trading === 'open'
  })
  const owner = await enter(market.base, seller.wallet)
  await listAll(market, owner, slug, [kept, free], 130_000)
  const restoredBuyer = await enter(market.base, buyer.wallet)
  await buy(restoredBuyer, slug, await agreementFor(market, restoredBuyer, [kept]))
  await market.mine()
  const coins = await coinsOf(market, restoredBuyer)
  await expect(
    prepareBid(restoredBuyer, slug, { target: ALL, priceSats: 40_000, coins }),
  ).resolves.toBeDefined()

  await stop()
  await start(databaseUrl)
  const stateOf = async (id: string) =>
    (
      await market.sql<{ state: string }[]>`
        select state from listings where inscription_id = ${id} order by listed_at desc limit 1`
    )[0]!.state
  await until('the sale to be recorded', async () => (await stateOf(kept)) === 'sold')
  expect(await stateOf(free)).toBe('buyable')
})

it('ends an offer whose coins a fill spends', async () => {
  const { trader: owner, keys } = await keyHolder(market)
  const { trader: maker } = await keyHolder(market)
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const fee = await market.regtest.fund(owner.wallet.ordinalsScript, 200_000)
  await market.server.sync()
  const ladder = { target: ALL, priceSats: 60_000, offerCount: 2, ladderStepSats: 10_000 }
  const { offers } = await bid(maker, slug, { ...ladder, coins: await coinsOf(market, maker) })
  const item = await market.coinOf(ids[0]!)
  await fill(owner, slug, offers[0]!.offerId, await selling(market, ids[0]!, 60_000, 300))
  const offersNow = async () => [
    ...(await market.sql<{ state: string; revoked: boolean }[]>`
      select state, revoked_at is not null as revoked from collection_offers
      where offer_id = any(${offers.map((offer) => offer.offerId)}::uuid[]) order by price_sats desc`),
  ]
  expect((await offersNow()).map(({ state }) => state)).toEqual(['filled', 'invalidated'])

  const { dataDir: present } = market.server.context.config
  const later = join(folder, 'later.backup')
  await backUp(market.databaseUrl, later, new Date())
  await stop()
  const databaseUrl = await freshDatabase()
  await restore(databaseUrl, later, { areJournalsKept: false })
  await start(databaseUrl, { RESET_JOURNAL: 'on', DATA_DIR: present })
  expect(await offersNow()).toEqual([
    { state: 'filled', revoked: true },
    { state: 'cancelled', revoked: true },
  ])

  // A confirmed conflicting spend of the inscription frees the offer's coins. Normally this would reactivate the offer.
  const destination = [{ valueSats: 10_000, script: owner.wallet.paymentScript }]
  const conflict = buildPayment([item, fee], destination, { privateKey: keys.ordinals, feeRateSatVb: 5 })
  await market.regtest.mineExactly([conflict])
  await until('the fill to fail', async () => (await offersNow())[0]!.state !== 'filled')
  expect((await offersNow()).map(({ state }) => state)).toEqual(['invalidated', 'cancelled'])
})

it('ends every order if the journal is missing', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listingId = (await listAll(market, seller, slug, ids, 90_000)).get(ids[0]!)!
  const { config } = market.server.context
  const sealed = join(folder, 'keys.sealed')
  expect(backUpKeys(config, sealed, PASSPHRASE)).toEqual(['cosign', 'coins', 'guardian'])
  await delist(seller, slug, [{ inscriptionId: ids[0]!, listingId }])
  await stop()

  const restored = { DATA_DIR: join(folder, 'restored') }
  restoreKeys({ ...config, dataDir: restored.DATA_DIR }, sealed, PASSPHRASE)
  await expect(start(market.databaseUrl, restored)).rejects.toThrow(
    /found .*cosign\.key.* but no .*signer\.journal/,
  )
  await start(market.databaseUrl, { ...restored, RESET_JOURNAL: 'on' })
  const live = await market.sql`
    select 1 from listings where state = 'buyable' union all select 1 from collection_offers where state = 'active'`
  expect(live).toHaveLength(0)
  const restoredSeller = await enter(market.base, seller.wallet)
  await until('open trading', async () => {
    const { trading } = (await (await fetch(`${market.server.url}/status`)).json()) as { trading: string }
    return trading === 'open'
  })
  await listAll(market, restoredSeller, slug, ids, 95_000)
})

it('ends every order if the journal is an older copy', async () => {
  const { dataDir: present } = market.server.context.config
  const seller = await market.trader()
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  const [first, second] = ids as [string, string]
  const older = join(folder, 'older')
  const created = await offer(buyer, slug, await offering(market, buyer, [first, second], 90_000))
  const [cancelled, open] = created.items.map(({ inscriptionId: id, offerId }) => ({ id, offerId }))
  await stop()
  cpSync(present, older, { recursive: true })
  await start(market.databaseUrl, { DATA_DIR: present })
  const signedIn = await enter(market.base, buyer.wallet)
  await cancelOffer(signedIn, cancelled!)
  await stop()

  await expect(start(market.databaseUrl, { DATA_DIR: older })).rejects.toThrow(
    /journal has \d+ lines, but the market has seen \d+\. .*once with RESET_JOURNAL=on/,
  )
  await start(market.databaseUrl, { DATA_DIR: older, RESET_JOURNAL: 'on' })
  const [row] = await market.sql<{ state: string; reason: string }[]>`
    select state, reason from offers where offer_id = ${open!.offerId}`
  expect(row).toEqual({ state: 'cancelled', reason: expect.stringContaining('Create the order again') })
  const both = [cancelled!.offerId, open!.offerId]
  expect(await market.server.context.signer.revoked(both)).toEqual(both)
  await stop()
  // The checkpoint of the newer journal was removed.
  await start(market.databaseUrl, { DATA_DIR: older })
})
