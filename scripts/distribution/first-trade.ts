import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { buy, Client, coinOfItem, LocalWallet, list, signIn, type Trader } from '@ordbook/sdk/index.ts'

const SLUG = 'first-trade'
const PRICE_SATS = 120_000
const TIMEOUT_MS = 90_000
/** Blocks in which a settlement has to confirm. */
const MAX_BLOCKS = 20

/** A newly installed market on a regtest node, with an empty database. */
export interface FreshMarket {
  url: string
  rpcUrl: string
  /** Imports the collections of a folder with the installed program. */
  importFolder(folder: string): Promise<void>
}

/**
 * Makes the first trade on a new market: the operator funds it and imports a collection, a seller lists, and a buyer buys. Returns the
 * settlement txid once the chain and the market show the sale.
 */
export async function firstTrade({ url, rpcUrl, importFolder }: FreshMarket): Promise<string> {
  const regtest = new Regtest(rpcUrl)
  const network = 'regtest'
  await until('a market that is ready', async () => (await fetch(`${url}/readyz`)).ok)
  const answer = (await (await fetch(`${url}/keys`)).json()) as { marketAddress: string }
  await regtest.mine(120)
  await regtest.pay([{ valueSats: 50_000_000, script: scriptOfAddress(answer.marketAddress, network)! }])
  const [seller, buyer] = [newWallet(), newWallet()]
  for (const { paymentScript: script } of [seller, buyer])
    await regtest.pay([{ valueSats: 5_000_000, script }])
  const body = new TextEncoder().encode(`traded first ${bytesToHex(randomBytes(8))}`)
  const [inscriptionId] = await regtest.inscribe([
    { inscription: { contentType: 'text/plain', body }, owner: seller.ordinalsScript, postageSats: 10_000 },
  ])
  await regtest.mine()
  await importCollection(inscriptionId!, importFolder)
  const [coin] = await regtest.coinsOf(seller.ordinalsScript)
  const item = { inscriptionId: inscriptionId!, coin: coin! }
  const { settlementTxid } = await trade({ url, regtest, slug: SLUG, seller, buyer, item })
  return settlementTxid
}

export function newWallet(): LocalWallet {
  const key = () => new Uint8Array(randomBytes(32))
  return new LocalWallet({ ordinals: key(), payment: key() }, { network: 'regtest', paymentKind: 'p2wpkh' })
}

export async function enter(url: string, wallet: LocalWallet): Promise<Trader & { wallet: LocalWallet }> {
  // After a block, a market with an ord server returns Retry-After.
  const client = new Client(`${url}/api/v1`, { repeats: 6 })
  const { walletBindings } = await until('a sign-in', () => signIn(client, wallet, new URL(url).host))
  return { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
}

interface Trade {
  url: string
  regtest: Regtest
  slug: string
  /** Wallets with confirmed funds. */
  seller: LocalWallet
  buyer: LocalWallet
  item: { inscriptionId: string; coin: Coin }
  /** Mines what prepares the listing. Default: a block of the mempool. */
  mine?: () => Promise<unknown>
}

/** Lists an item of the seller at offset 0 of its coin. Mines until the market has coins for the listing. */
export async function listItem(
  { regtest, slug, item, mine = () => regtest.mine() }: Omit<Trade, 'seller' | 'buyer'>,
  seller: Trader,
): Promise<void> {
  const { inscriptionId, coin } = item
  await until('a listing', async () => {
    // The market splits its funds into coins for listings.
    await mine()
    return list(seller, slug, [
      { inscriptionId, priceSats: PRICE_SATS, coin: { ...coin, offset: 0 }, maxFeeBps: 500 },
    ])
  })
}

/**
 * Lists an item, buys it, and mines until the sale confirms. Returns the settlement txid and the number of blocks that the settlement
 * needed, once the chain and the market show the sale.
 */
export async function trade(
  options: Trade,
): Promise<{ settlementTxid: string; blocks: number; buyer: Trader }> {
  const { url, regtest, slug, seller, buyer, item } = options
  const { inscriptionId } = item
  const [sells, buys] = [await enter(url, seller), await enter(url, buyer)]
  await listItem(options, sells)
  const { listings } = await buys.client.call('listListings', { query: { inscriptionId } })
  const { listingId, priceSats } = listings[0]!
  const { settlementTxid } = await buy(buys, slug, {
    items: [{ inscriptionId, listingId, priceSats, coin: coinOfItem(listings[0]!) }],
    coins: await regtest.coinsOf(buyer.paymentScript),
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  for (let blocks = 1; ; blocks++) {
    await regtest.mine()
    const [arrived] = await regtest.coinsOf(buyer.ordinalsScript)
    if (!arrived && blocks < MAX_BLOCKS) continue
    if (arrived?.txid !== settlementTxid || !equalBytes(arrived.script, buyer.ordinalsScript))
      throw new Error('The buyer does not own the inscription on the chain.')
    await untilSold(buys, slug, settlementTxid)
    return { settlementTxid, blocks, buyer: buys }
  }
}

/** Waits until the market shows a sale. */
export async function untilSold({ client }: Trader, slug: string, settlementTxid: string): Promise<void> {
  await until('the sale', async () => {
    const { sales } = await client.call('listSales', { query: { collectionSlug: slug, limit: 10 } })
    return sales.some((sale) => sale.txid === settlementTxid)
  })
}

async function importCollection(id: string, importFolder: FreshMarket['importFolder']): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-import-'))
  try {
    mkdirSync(join(folder, SLUG))
    const write = (name: string, content: unknown) =>
      writeFileSync(join(folder, SLUG, name), JSON.stringify(content))
    write('meta.json', { name: 'First trade', slug: SLUG })
    write('inscriptions.json', [{ id, meta: { name: 'First trade #1', attributes: [] } }])
    await importFolder(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Retries until the result is truthy. After `milliseconds`, throws with the last error as the cause. */
export async function until<T>(what: string, work: () => Promise<T>, milliseconds = TIMEOUT_MS): Promise<T> {
  const end = performance.now() + milliseconds
  for (;;) {
    let problem: unknown
    const found = await work().catch((error: unknown) => {
      problem = error
      return null
    })
    if (found) return found
    if (performance.now() > end) throw new Error(`Timed out waiting for ${what}.`, { cause: problem })
    await rest(300)
  }
}
