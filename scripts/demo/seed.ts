import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { demoCollectors, demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { setVerified } from '@ordbook/server/collections/import-queries.ts'
import { loadCollections } from '@ordbook/server/collections/load.ts'
import type { Sql } from '@ordbook/server/db/connect.ts'
import { COLLECTIONS, type DemoCollection } from './collections.ts'
import { PAST_SECONDS, tradeInThePast } from './history.ts'
import type { DemoItem } from './pictures.ts'

export interface DemoMarket {
  sql: Sql
  marketAddress: string
}

/** Of each inscription of the demo. */
export const POSTAGE_SATS = 10_000
type Say = (text: string) => void

/**
 * Fills a regtest chain with what the demo shows: coins for two wallets, and small collections inscribed for real, whose sales of
 * the past month the market reads from the chain. It needs the node alone. Each step is skipped when its result is there, so
 * a seed that was cut short goes on where it stopped.
 */
export async function seedChain(
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: Say,
): Promise<void> {
  const traded = join(directory, 'demo-chain.done')
  if (existsSync(traded)) return
  const regtest = new Regtest(rpcUrl)
  const { first, second } = demoWallets(network)
  const height = await regtest.call<number>('getblockcount')
  if (height < 120) {
    say('mining the first blocks')
    await regtest.call('setmocktime', Math.floor(Date.now() / 1000) - PAST_SECONDS)
    await regtest.mine(120 - height)
  }
  if ((await regtest.coinsOf(first.paymentScript)).length === 0) {
    await regtest.pay(
      [first, second].flatMap((wallet) => [
        { valueSats: 30_000_000, script: wallet.paymentScript },
        { valueSats: 20_000_000, script: wallet.paymentScript },
      ]),
    )
    await regtest.mine()
  }
  const folder = join(directory, 'demo-collections')
  const inscribed = []
  for (const collection of COLLECTIONS) {
    if (!existsSync(join(folder, collection.slug))) {
      const items = collection.items()
      say(`inscribing ${items.length} ${collection.name}`)
      await inscribe(regtest, folder, { ...collection, items }, network)
    }
    inscribed.push({ collection, ids: idsOf(folder, collection) })
  }
  say('trading for a month')
  await tradeInThePast(regtest, inscribed, POSTAGE_SATS)
  await regtest.mine()
  writeFileSync(traded, '')
}

/** Inscribes a collection, for the first wallet and the collectors, and writes it down in the registry's format. */
async function inscribe(
  regtest: Regtest,
  folder: string,
  { slug, name, description, items, kept }: Omit<DemoCollection, 'items'> & { items: DemoItem[] },
  network: AddressNetwork,
): Promise<void> {
  const { first } = demoWallets(network)
  const collectors = demoCollectors(network).map(({ wallet }) => wallet)
  const ids = await regtest.inscribe(
    items.map(({ contentType, body }, n) => ({
      inscription: { contentType, body },
      owner: (n < kept ? first : collectors[(n - kept) % collectors.length]!).ordinalsScript,
      postageSats: POSTAGE_SATS,
    })),
  )
  const target = join(folder, `.${slug}`)
  mkdirSync(target, { recursive: true })
  const meta = { name, slug, description, inscription_icon: ids[0] }
  writeFileSync(join(target, 'meta.json'), JSON.stringify(meta, null, 2))
  const entries = items.map((item, i) => ({ id: ids[i], meta: { name: item.name, attributes: item.traits } }))
  writeFileSync(join(target, 'inscriptions.json'), JSON.stringify(entries, null, 2))
  rmSync(join(folder, slug), { recursive: true, force: true })
  renameSync(target, join(folder, slug))
}

const idsOf = (folder: string, { slug }: DemoCollection): string[] =>
  (JSON.parse(readFileSync(join(folder, slug, 'inscriptions.json'), 'utf8')) as { id: string }[]).map(
    ({ id }) => id,
  )

/** Funds a market on a chain of `seedChain` and imports the demo's collections. It can be looked at then; trading waits for `splitCoins`. */
export async function seedMarket(
  { sql, marketAddress }: DemoMarket,
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: Say,
): Promise<void> {
  const done = join(directory, 'demo.done')
  if (existsSync(done)) return
  const regtest = new Regtest(rpcUrl)
  const coinScript = scriptOfAddress(marketAddress, network)
  if ((await regtest.coinsOf(coinScript)).length === 0) {
    await regtest.pay([{ valueSats: 50_000_000, script: coinScript }])
    await regtest.mine()
  }
  say('importing the collections')
  await loadCollections(sql, join(directory, 'demo-collections'), { now: new Date() })
  for (const { slug, isVerified } of COLLECTIONS) await setVerified(sql, slug, isVerified)
  writeFileSync(done, '')
}

/** Waits for the split coins of the market, confirmed and indexed: it can trade then. Throws after a minute. */
export async function splitCoins(sql: Sql, rpcUrl: string, say: Say): Promise<void> {
  const regtest = new Regtest(rpcUrl)
  for (let waited = 0; waited < 60_000; waited += 100) {
    const [row] = await sql<{ anchors: number }[]>`
      select count(*) as anchors from market_coins where value_sats = 330 and spent_height is null`
    if (row!.anchors > 1) return
    if (waited === 0) say('waiting for the market to split its coins')
    if ((await regtest.call<string[]>('getrawmempool')).length > 0) await regtest.mine()
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the market did not split its coins within a minute')
}
