import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { loadCollections } from '@ordbook/server/collections/load.ts'
import type { Sql } from '@ordbook/server/db/connect.ts'
import { type DemoItem, harbourLamp, knotChart, tideTable } from './demo-pictures.ts'

const COLLECTIONS: { slug: string; name: string; description: string; items: DemoItem[] }[] = [
  {
    slug: 'harbour-lamps',
    name: 'Harbour Lamps',
    description: 'Lamps of a harbour that is not on any map, in 24 by 24 pixels.',
    items: Array.from({ length: 12 }, (_, i) => harbourLamp(i + 1)),
  },
  {
    slug: 'knot-charts',
    name: 'Knot Charts',
    description: 'The path of one rope over a chart.',
    items: Array.from({ length: 8 }, (_, i) => knotChart(i + 1)),
  },
  {
    slug: 'tide-tables',
    name: 'Tide Tables',
    description: 'A day of tides each.',
    items: Array.from({ length: 6 }, (_, i) => tideTable(i + 1)),
  },
]

export interface DemoMarket {
  sql: Sql
  marketAddress: string
}

/**
 * Fills a regtest chain with a demo market: coins for the market and two wallets, and three small collections inscribed
 * for real and imported in the registry format. Each step is skipped when its result is there, so a seed that was cut
 * short goes on where it stopped.
 */
export async function seedDemo(
  { sql, marketAddress }: DemoMarket,
  rpcUrl: string,
  directory: string,
  network: AddressNetwork,
  say: (text: string) => void,
): Promise<void> {
  const done = join(directory, 'demo.done')
  if (existsSync(done)) return
  const regtest = new Regtest(rpcUrl)
  const coinScript = scriptOfAddress(marketAddress, network)
  const { first, second } = demoWallets(network)
  const height = await regtest.call<number>('getblockcount')
  if (height < 120) {
    say('mining the first blocks')
    await regtest.mine(120 - height)
  }
  if ((await regtest.coinsOf(coinScript)).length === 0) {
    say('funding the market and two wallets')
    await regtest.pay([
      { valueSats: 50_000_000, script: coinScript },
      ...[first, second].flatMap((wallet) => [
        { valueSats: 30_000_000, script: wallet.paymentScript },
        { valueSats: 20_000_000, script: wallet.paymentScript },
      ]),
    ])
    await regtest.mine()
  }
  const folder = join(directory, 'demo-collections')
  for (const { slug, name, description, items } of COLLECTIONS) {
    if (existsSync(join(folder, slug))) continue
    say(`inscribing ${items.length} ${name}`)
    const ids = await regtest.inscribe(
      items.map(({ contentType, body }) => ({
        inscription: { contentType, body },
        owner: first.ordinalsScript,
        postageSats: 10_000,
      })),
    )
    const target = join(folder, `.${slug}`)
    mkdirSync(target, { recursive: true })
    writeFileSync(
      join(target, 'meta.json'),
      JSON.stringify({ name, slug, description, inscription_icon: ids[0] }, null, 2),
    )
    const entries = items.map((item, i) => ({
      id: ids[i],
      meta: { name: item.name, attributes: item.traits },
    }))
    writeFileSync(join(target, 'inscriptions.json'), JSON.stringify(entries, null, 2))
    rmSync(join(folder, slug), { recursive: true, force: true })
    renameSync(target, join(folder, slug))
  }
  say('importing the collections')
  await loadCollections(sql, folder, { now: new Date() })
  say('waiting for the market to split its coins')
  await ready(sql, regtest)
  writeFileSync(done, '')
}

/** The market can trade once its split coins are confirmed and indexed. */
async function ready(sql: Sql, regtest: Regtest): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    const [row] = await sql<{ anchors: number }[]>`
      select count(*) as anchors from market_coins where value_sats = 330 and spent_height is null`
    if (row!.anchors > 1) return
    if ((await regtest.call<string[]>('getrawmempool')).length > 0) await regtest.mine()
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the market did not split its coins within a minute')
}
