import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { landingOf, offsetOfInput } from '@ordbook/bitcoin/sat-flow.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import { ApiError, buy, CheckFailed, coinOfItem, delist, list } from '@ordbook/sdk/index.ts'
import { afterAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { enter, freshWallet, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'
import { assertClean } from './support/doomed.ts'
import { agreeableItems, Bidding } from './support/soak-offers.ts'

/**
 * Many wallets trade at random through two server processes on one database and chain. Afterwards every sat is accounted for. SOAK_SECONDS
 * and SOAK_WALLETS set the duration and the number of wallets.
 */
const SECONDS = Number(process.env.SOAK_SECONDS ?? sampled(10, 300))
const WALLETS = Number(process.env.SOAK_WALLETS ?? (SECONDS > 60 ? 50 : 12))
const ITEMS_EACH = 3
const COINS_EACH = 6
const POSTAGE = 10_000
const FEE_BPS = 100

const market = setUpMarket({ ANCHOR_POOL: '40' })
const servers: ServerProcess[] = []
afterAll(async () => {
  for (const server of servers) await server.kill('SIGKILL')
})

async function startServers(): Promise<string[]> {
  const bases: string[] = []
  for (let n = 0; n < 2; n++) {
    const port = await freePort()
    const server = spawnServer(market, port, {
      tuning: {
        pollMilliseconds: 200,
        tailPool: WALLETS * 2,
        anchorSpendDelaySeconds: 2,
        preflightTtlSeconds: 30,
      },
      LOG_LEVEL: 'error',
      ANCHOR_POOL: String(WALLETS * ITEMS_EACH * 4),
    })
    servers.push(server)
    await server.ready()
    bases.push(`http://127.0.0.1:${port}/api/v1`)
  }
  return bases
}

interface Ledger {
  trader: TestTrader
  listed: Map<string, { inscriptionId: string; priceSats: number }>
  delisted: Set<string>
  bought: { listingIds: string[]; costSats: number; settlementTxid: string }[]
}

/** Reads the chain from a height, without using our tables. */
async function walk(from: number) {
  const coins = new Map<string, { script: string; valueSats: number }>()
  const sats = new Map<string, string>()
  const transactions: {
    tx: Tx
    txid: string
    feeSats: number
    spent: { script: string; valueSats: number }[]
  }[] = []
  const tip = await market.regtest.call<number>('getblockcount')
  for (let height = 0; height <= tip; height++) {
    const hash = await market.regtest.call<string>('getblockhash', height)
    const block = await market.regtest.call<{ tx: { hex: string }[] }>('getblock', hash, 2)
    for (const [n, { hex }] of block.tx.entries()) {
      const tx = decodeTransaction(hex)
      const txid = txidOf(tx)
      const spent = n === 0 ? [] : tx.inputs.map((input) => coins.get(formatOutpoint(input))!)
      const values = spent.map((coin) => coin.valueSats)
      // The tracked sats are the first of their coins. Follow each one to its output.
      for (const [i, input] of tx.inputs.entries()) {
        const id = sats.get(formatOutpoint(input))
        if (!id) continue
        sats.delete(formatOutpoint(input))
        const landing = landingOf(offsetOfInput(i, values), tx.outputs)
        if (!('vout' in landing) || landing.offset !== 0) throw new Error(`${id} does not land at offset 0`)
        sats.set(`${txid}:${landing.vout}`, id)
      }
      for (const input of tx.inputs) coins.delete(formatOutpoint(input))
      for (const [vout, output] of tx.outputs.entries())
        coins.set(`${txid}:${vout}`, { script: bytesToHex(output.script), valueSats: output.valueSats })
      for (const [id, reveal] of reveals)
        if (reveal === txid) sats.set(`${txid}:${Number(id.split('i')[1])}`, id)
      const feeSats = n === 0 ? 0 : sumSats(values) - sumSats(tx.outputs.map((output) => output.valueSats))
      if (height > from && n > 0) transactions.push({ tx, txid, feeSats, spent })
    }
  }
  const balanceOf = (script: Uint8Array) => {
    const hex = bytesToHex(script)
    return sumSats([...coins.values()].filter((coin) => coin.script === hex).map((coin) => coin.valueSats))
  }
  return { coins, sats, transactions, balanceOf }
}
const reveals = new Map<string, string>()

it(
  `sells nothing twice with ${WALLETS} wallets in ${SECONDS} seconds`,
  async () => {
    const wallets = Array.from({ length: WALLETS }, (_, n) =>
      freshWallet((['p2wpkh', 'p2tr', 'p2sh-p2wpkh'] as const)[n % 3]),
    )
    await market.regtest.pay([
      { valueSats: 1_000_000_000, script: market.server.context.market.coinScript },
      ...wallets.flatMap((wallet) =>
        Array.from({ length: COINS_EACH }, () => ({ valueSats: 2_000_000, script: wallet.paymentScript })),
      ),
    ])
    await market.mine()
    const { slug, ids } = await market.collection(
      wallets.map((wallet) => wallet),
      ITEMS_EACH,
      POSTAGE,
    )
    for (const id of ids) reveals.set(id, id.split('i')[0]!)
    await market.server.close()
    const bases = await startServers()
    const bidding = new Bidding(market, slug, POSTAGE)
    const ledgers: Ledger[] = []
    for (const [n, wallet] of wallets.entries())
      ledgers.push({
        trader: await enter(bases[n % 2]!, wallet),
        listed: new Map(),
        delisted: new Set(),
        bought: [],
      })
    await market.anchors(Math.min(WALLETS * 2, 120))
    for (const { trader } of ledgers) bidding.know(trader)
    const start = await market.regtest.call<number>('getblockcount')
    const before = await walk(start)

    const refusals = new Map<string, number>()
    const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!
    const some = <T>(all: readonly T[]): T[] =>
      all.toSorted(() => Math.random() - 0.5).slice(0, 1 + Math.floor(Math.random() * 3))
    const acts = {
      async list({ trader, listed }: Ledger) {
        const { mine } = await agreeableItems(trader, slug, POSTAGE)
        if (mine.length === 0) return
        const agreements = some(mine).map((item) => ({
          ...item,
          priceSats: 20_000 + Math.floor(Math.random() * 100_000),
          maxFeeBps: FEE_BPS,
        }))
        const { listings } = await list(trader, slug, agreements)
        for (const [i, { listingId, inscriptionId }] of listings.entries())
          listed.set(listingId, { inscriptionId, priceSats: agreements[i]!.priceSats })
      },
      async delist({ trader, delisted }: Ledger) {
        const { listings } = await trader.client.call('listListings', {
          query: { sellerAddress: trader.wallet.ordinalsAddress },
        })
        if (listings.length === 0) return
        const chosen = some(listings).map(({ inscriptionId, listingId }) => ({ inscriptionId, listingId }))
        await delist(trader, slug, chosen)
        for (const { listingId } of chosen) delisted.add(listingId)
      },
      async buy({ trader, bought }: Ledger) {
        const { listings } = await trader.client.call('listListings', {
          query: { collectionSlug: slug, sort: pick(['price', 'recent'] as const) },
        })
        const foreign = listings.filter((listing) => listing.sellerAddress !== trader.wallet.ordinalsAddress)
        if (foreign.length === 0) return
        const items = some(foreign.slice(0, 8)).map((listing) => ({
          inscriptionId: listing.inscriptionId,
          listingId: listing.listingId,
          priceSats: listing.priceSats,
          coin: coinOfItem(listing),
        }))
        const coins = await market.regtest.coinsOf(trader.wallet.paymentScript)
        const terms = { items, coins, maxFeeBps: FEE_BPS, maxNetworkSats: 50_000 }
        const { costSats, settlementTxid } = await buy(trader, slug, terms)
        bought.push({ listingIds: items.map((item) => item.listingId), costSats, settlementTxid })
      },
    }
    // Continue on a slow machine until there is something to check.
    const end = Date.now() + SECONDS * 1000
    const isOver = () =>
      Date.now() >= end && bidding.settled.length > 0 && ledgers.some((ledger) => ledger.bought.length > 0)
    const trade = async (ledger: Ledger) => {
      while (!isOver()) {
        try {
          if (Math.random() < 0.5) await bidding.act(ledger.trader)
          else await acts[pick(['list', 'list', 'buy', 'buy', 'buy', 'delist'] as const)](ledger)
        } catch (error) {
          // 400 and 409 are expected if another trader was faster or the chain has changed.
          const { status, message } = error as ApiError
          // A block moved the inscription between the read and the preflight. Nothing was signed.
          if (error instanceof CheckFailed && /nothing in .* brings|another coin/.test(message)) continue
          if (!(error instanceof ApiError) || ![400, 403, 409, 503].includes(status)) throw error
          const text = `${status} ${message.replace(/[0-9a-f]{64}(i\d+|:\d+)?|[0-9a-f-]{36}|\d[\d,]*/g, '…')}`
          refusals.set(text, (refusals.get(text) ?? 0) + 1)
        }
        await new Promise((done) => setTimeout(done, Math.random() * 300))
      }
    }
    const mine = async () => {
      while (!isOver()) {
        await new Promise((done) => setTimeout(done, 1500))
        await market.regtest.mine()
      }
    }
    await Promise.all([mine(), ...ledgers.map(trade)])

    // Wait until nothing is pending, all anchors are spent and the index is at the tip.
    await until('an idle market', async () => {
      await market.regtest.mine()
      await new Promise((done) => setTimeout(done, 1200))
      const [row] = await market.sql<{ busy: number }[]>`
      select (select count(*) from settlements where state in ('intended', 'broadcast'))
        + (select count(*) from market_transactions where state = 'intended')
        + (select count(*) from market_coins where retired and spent_height is null) as busy`
      const [tip] = await market.sql<{ height: number }[]>`select max(height) as height from blocks`
      return row!.busy === 0 && tip!.height === (await market.regtest.call<number>('getblockcount'))
    })
    const mempool = await market.regtest.call<string[]>('getrawmempool')
    expect(mempool).toEqual([])
    const after = await walk(start)

    const purchases = ledgers.flatMap((ledger) => ledger.bought)
    const boughtIds = purchases.flatMap((purchase) => purchase.listingIds)
    expect(new Set(boughtIds).size).toBe(boughtIds.length)
    const onChain = new Set(after.transactions.map((transaction) => transaction.txid))
    for (const { settlementTxid } of [...purchases, ...bidding.settled])
      expect(onChain).toContain(settlementTxid)
    // No offer is settled twice or without a response.
    const offered = await market.sql<{ txid: string }[]>`
      select settlement_txid as txid from settlements where kind <> 'purchase' and state = 'confirmed'`
    expect(offered.map((row) => row.txid).toSorted()).toEqual(
      bidding.settled.map((each) => each.settlementTxid).toSorted(),
    )

    // Each confirmed listing has the state that follows from the traders' ledgers.
    const rows = await market.sql<
      { listingId: string; state: string }[]
    >`select listing_id, state from listings`
    const states = new Map(rows.map((row) => [row.listingId, row.state]))
    for (const { listed, delisted } of ledgers)
      for (const listingId of listed.keys()) {
        const state = states.get(listingId)
        if (boughtIds.includes(listingId)) expect(state).toBe('sold')
        else if (delisted.has(listingId)) expect(state).toBe('cancelled')
        // The block that settles an accepted offer ends the inscription's listing.
        else expect(['buyable', 'replaced', 'invalidated']).toContain(state)
      }
    // Derived tables match their sources, also after reads that fill the caches.
    const walkers = ledgers.map(({ trader }) => trader.client)
    for (const walker of walkers) {
      await walker.call('listCollectionInscriptions', { params: { slug }, query: { limit: 100 } })
      await walker.call('listListings', { query: { collectionSlug: slug, limit: 100 } })
      await walker.call('listSales', { query: { collectionSlug: slug, limit: 100 } })
    }
    expect(await checkRollups({ ...market.server.context, sql: market.sql })).toEqual([])

    await assertClean(market)
    const failed = await market.sql`select kind, failure from settlements where state = 'failed'`
    expect([...failed]).toEqual([])

    // Compare every inscription's location with the chain, and its owner with the ledgers.
    const index = await market.sql<{ inscriptionId: string; txid: string; vout: number }[]>`
    select inscription_id, txid, vout from inscriptions where inscription_id = any(${ids})`
    expect(new Map(index.map((row) => [`${row.txid}:${row.vout}`, row.inscriptionId]))).toEqual(after.sats)

    // Derive each wallet's balance from its trades. The market has its fees and the miners the remainder.
    const offers = new Map(ledgers.flatMap(({ listed }) => [...listed]))
    let revenueSats = 0
    for (const { trader, listed, bought } of ledgers) {
      const sold = [...listed].filter(([listingId]) => boughtIds.includes(listingId))
      const earned = sumSats(
        sold.map(([, { priceSats }]) => priceSats - Math.floor((priceSats * FEE_BPS) / 10_000) + POSTAGE),
      )
      const { paymentScript } = trader.wallet
      const expected =
        before.balanceOf(paymentScript) +
        earned +
        bidding.earnedBy(trader) -
        sumSats(bought.map((each) => each.costSats))
      expect(after.balanceOf(paymentScript)).toBe(expected)
    }
    for (const listingId of boughtIds) {
      const fee = Math.floor((offers.get(listingId)!.priceSats * FEE_BPS) / 10_000)
      revenueSats += 2 * fee
    }
    revenueSats += sumSats(bidding.settled.map((each) => each.revenueSats))
    const { coinScript } = market.server.context.market
    const ownHex = bytesToHex(coinScript)
    const ownFees = after.transactions.filter(({ spent }) => spent.every((coin) => coin.script === ownHex))
    const marketExpected =
      before.balanceOf(coinScript) + revenueSats - sumSats(ownFees.map((fee) => fee.feeSats))
    expect(after.balanceOf(coinScript)).toBe(marketExpected)
    // The market loses at most its earnings and the daily allowance.
    const lossSats = before.balanceOf(coinScript) - after.balanceOf(coinScript)
    expect(lossSats).toBeLessThanOrEqual(market.server.context.config.strandingAllowanceSats)
    const [since] = await market.sql<{ sats: number }[]>`
      select coalesce(sum(sats), 0)::bigint as sats from market_ledger where height > ${start}`
    expect(since!.sats).toBe(-lossSats)
    expect(await listImbalances(market.sql)).toEqual([])
    const books = await market.sql<{ purpose: string; sats: number; nobody: number }[]>`
      select purpose, sum(sats)::bigint as sats, count(*) filter (where wallet_binding_id is null)::int as nobody
      from market_ledger group by purpose`
    const booked = (purpose: string) => books.find((book) => book.purpose === purpose)?.sats ?? 0
    expect(sumSats(books.map((book) => book.sats))).toBe(after.balanceOf(coinScript))
    expect(booked('revenue')).toBe(revenueSats)
    expect(booked('refund') + booked('transfer')).toBe(0)
    expect(booked('unexplained')).toBe(0)
    for (const { purpose, nobody } of books)
      if (['revenue', 'refund', 'transfer', 'void', 'bump'].includes(purpose))
        expect({ purpose, nobody }).toEqual({ purpose, nobody: 0 })
    const everybody = (state: typeof before) =>
      sumSats(
        [coinScript, ...wallets.flatMap((wallet) => [wallet.paymentScript, wallet.ordinalsScript])].map(
          state.balanceOf,
        ),
      )
    expect(everybody(before) - everybody(after)).toBe(
      sumSats(after.transactions.map((transaction) => transaction.feeSats)),
    )

    const count = (state: string) => rows.filter((row) => row.state === state).length
    console.log(
      `${market.node.kind}: ${WALLETS} wallets, ${SECONDS} s, ${after.transactions.length} transactions: ` +
        `${offers.size} listings (${count('sold')} sold, ${count('cancelled')} cancelled, ${count('replaced')} replaced, ` +
        `${count('buyable')} live), ${purchases.length} purchases, ${bidding.summary()}, revenue ${revenueSats}, ` +
        `refusals ${[...refusals].map(([text, n]) => `${n} x ${text}`).join(' | ')}`,
    )
  },
  (SECONDS + 240) * 1000,
)
