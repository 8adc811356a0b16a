import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { buy, Client, coinOfItem, LocalWallet, list, signIn } from '@ordbook/sdk/index.ts'

const SLUG = 'first-trade'
const PRICE_SATS = 120_000
const TIMEOUT_MS = 90_000

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
  const [seller, buyer] = [0, 1].map(() => {
    const key = () => new Uint8Array(randomBytes(32))
    return new LocalWallet({ ordinals: key(), payment: key() }, { network, paymentKind: 'p2wpkh' })
  }) as [LocalWallet, LocalWallet]
  for (const { paymentScript: script } of [seller, buyer])
    await regtest.pay([{ valueSats: 5_000_000, script }])
  const body = new TextEncoder().encode(`traded first ${bytesToHex(randomBytes(8))}`)
  const [inscriptionId] = await regtest.inscribe([
    { inscription: { contentType: 'text/plain', body }, owner: seller.ordinalsScript, postageSats: 10_000 },
  ])
  await regtest.mine()
  await importCollection(inscriptionId!, importFolder)

  const enter = async (wallet: LocalWallet) => {
    // After a block, a market with an ord server returns Retry-After.
    const client = new Client(`${url}/api/v1`, { repeats: 6 })
    const { walletBindings } = await until('a sign-in', () => signIn(client, wallet, new URL(url).host))
    return { client, wallet, walletBindingId: walletBindings[0]!.walletBindingId }
  }
  const [sells, buys] = [await enter(seller), await enter(buyer)]
  const [coin] = await regtest.coinsOf(seller.ordinalsScript)
  await until('a listing', async () => {
    // The market splits the payment into coins for listings.
    await regtest.mine()
    return list(sells, SLUG, [
      { inscriptionId: inscriptionId!, priceSats: PRICE_SATS, coin: { ...coin!, offset: 0 }, maxFeeBps: 500 },
    ])
  })
  const { listings } = await buys.client.call('listListings', { query: { inscriptionId: inscriptionId! } })
  const { listingId, priceSats } = listings[0]!
  const { settlementTxid } = await buy(buys, SLUG, {
    items: [{ inscriptionId: inscriptionId!, listingId, priceSats, coin: coinOfItem(listings[0]!) }],
    coins: await regtest.coinsOf(buyer.paymentScript),
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  })
  await regtest.mine()
  const [arrived] = await regtest.coinsOf(buyer.ordinalsScript)
  if (arrived?.txid !== settlementTxid || !equalBytes(arrived.script, buyer.ordinalsScript))
    throw new Error('The buyer does not own the inscription on the chain.')
  await until('the sale', async () => {
    const { sales } = await buys.client.call('listSales', { query: { collectionSlug: SLUG, limit: 10 } })
    return sales.some((sale) => sale.txid === settlementTxid)
  })
  return settlementTxid
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

/** Retries until the result is truthy. After the timeout, throws with the last error as the cause. */
async function until<T>(what: string, work: () => Promise<T>): Promise<T> {
  const end = performance.now() + TIMEOUT_MS
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
