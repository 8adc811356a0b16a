import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { setVerified } from '@ordbook/market/collections/import-queries.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { demoCollectors, demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { COLLECTIONS, type DemoCollection } from './collections.ts'
import { PAST_SECONDS, tradeInThePast } from './history.ts'
import { listInThePast } from './past-listings.ts'
import type { DemoItem } from './pictures.ts'
import { Progress } from './progress.ts'

export interface DemoMarket {
  sql: Sql
  marketAddress: string
}

export const POSTAGE_SATS = 10_000
type Say = (text: string) => void
/** Subfolder of the data folder for collections in the registry format. */
const FOLDER = 'demo-collections'

/**
 * Fills a regtest chain with coins for two wallets, and small collections of real inscriptions with sales over the past month. Resumes an
 * interrupted call.
 */
export async function seedChain(
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: Say,
): Promise<void> {
  const progress = new Progress(directory)
  await progress.once('chain', async () => {
    const regtest = new Regtest(rpcUrl)
    const { first, second } = demoWallets(network)
    const height = await regtest.call<number>('getblockcount')
    await regtest.setClock(Math.floor(Date.now() / 1000) - PAST_SECONDS)
    if (height < 120) {
      say('mining the first blocks')
      await regtest.mine(120 - height)
    }
    await progress.payOnce(
      'coins of the wallets',
      regtest,
      [first, second].flatMap((wallet) => [
        { valueSats: 30_000_000, script: wallet.paymentScript },
        { valueSats: 20_000_000, script: wallet.paymentScript },
      ]),
    )
    const inscribed = []
    for (const collection of COLLECTIONS) {
      const ids = await progress.once(collection.slug, () => {
        const items = collection.items()
        say(`inscribing ${items.length} ${collection.name}`)
        return inscribe(regtest, progress, join(directory, FOLDER), { ...collection, items }, network)
      })
      inscribed.push({ collection, ids })
    }
    say('creating sales of the past month')
    await tradeInThePast(regtest, progress, inscribed, POSTAGE_SATS)
    await regtest.mine()
  })
}

/** Inscribes a collection and writes it in the registry format. */
async function inscribe(
  regtest: Regtest,
  progress: Progress,
  folder: string,
  { slug, name, description, items, kept }: Omit<DemoCollection, 'items'> & { items: DemoItem[] },
  network: AddressNetwork,
): Promise<string[]> {
  const { first } = demoWallets(network)
  const collectors = demoCollectors(network).map(({ wallet }) => wallet)
  const ids = await regtest.inscribe(
    items.map(({ contentType, body }, n) => ({
      inscription: { contentType, body },
      owner: (n < kept ? first : collectors[(n - kept) % collectors.length]!).ordinalsScript,
      postageSats: POSTAGE_SATS,
    })),
    (outputs) => progress.payOnce(`payment for ${slug}`, regtest, outputs),
  )
  const target = join(folder, slug)
  mkdirSync(target, { recursive: true })
  const meta = { name, slug, description, inscription_icon: ids[0] }
  writeFileSync(join(target, 'meta.json'), JSON.stringify(meta, null, 2))
  const entries = items.map((item, i) => ({ id: ids[i], meta: { name: item.name, attributes: item.traits } }))
  writeFileSync(join(target, 'inscriptions.json'), JSON.stringify(entries, null, 2))
  return ids
}

/** Funds a market and imports the demo's collections. Visitors can then browse it; trading requires `splitCoins`. */
export async function seedMarket(
  { sql, marketAddress }: DemoMarket,
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: Say,
): Promise<void> {
  const progress = new Progress(directory)
  await progress.once('market', async () => {
    const script = scriptOfAddress(marketAddress, network)
    await progress.payOnce('coins of the market', new Regtest(rpcUrl), [{ valueSats: 50_000_000, script }])
    say('importing the collections')
    await loadCollections(sql, join(directory, FOLDER), { now: new Date() })
    for (const { slug, isVerified } of COLLECTIONS) await setVerified(sql, slug, isVerified)
  })
}

/** Adds the listings of the past month. The index must have reached the tip. */
export async function seedListings(sql: Sql, directory: string, network: AddressNetwork): Promise<void> {
  await new Progress(directory).once('past listings', () => listInThePast(sql, network, new Date()))
}

/** Waits until the market's split coins are indexed, so that it can trade. Throws after five minutes. */
export async function splitCoins(sql: Sql, rpcUrl: string, say: Say): Promise<void> {
  const regtest = new Regtest(rpcUrl)
  for (let elapsed = 0; elapsed < 300_000; elapsed += 100) {
    const [row] = await sql<{ anchors: number }[]>`
      select count(*) as anchors from market_coins where value_sats = 330 and spent_height is null`
    if (row!.anchors > 1) return
    if (elapsed === 0) say('waiting for the market to split its coins')
    if ((await regtest.call<string[]>('getrawmempool')).length > 0) await regtest.mine()
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('The market did not split its coins within five minutes. Check GET /status.')
}
