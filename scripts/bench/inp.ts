import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { listAll, startMarket, type TestMarket } from '../../e2e/support/market.ts'
import { startBrowser } from '../../web/test/support/browser.ts'
import { buildStorefront } from '../build-storefront.ts'
import { integerIn, readCommand } from '../command.ts'
import { type Control, Presses } from './presses.ts'

/**
 * `npm run bench:inp`: the time from each press to the next paint on the page of a collection of 800 items, with the traits of a real
 * one, in a browser whose processor is slowed down. It finds the controls by itself: those of the page, then those that each of them
 * brings, as a group of filters, a sheet or a tab does.
 */
const USAGE = 'usage: npm run bench:inp [-- --slowdown 4] [--rounds 1] [--only "Activity > Sales"]'
const { values } = readCommand(USAGE, {
  options: {
    slowdown: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
})
const slowdown = integerIn(values.slowdown, '--slowdown', 1, 20)
const rounds = integerIn(values.rounds, '--rounds', 1, 20)

const ITEMS = 800
const LISTED = 40
const GOAL_MILLISECONDS = 200
const SCREENS = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }
const TRAITS = join(import.meta.dirname, '../../web/test/registry/chainspace/inscriptions.json.gz')

/** A picture of one pixel, whose cost is the card's alone. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A collection with the traits of the real one, on a chain of this bench; some of it listed. */
async function fill(market: TestMarket): Promise<string> {
  const slug = 'bench'
  const seller = await market.trader()
  const ids = await market.regtest.inscribe(
    Array.from({ length: ITEMS }, () => ({
      inscription: { contentType: 'image/png', body: PICTURE },
      owner: seller.wallet.ordinalsScript,
      postageSats: 10_000,
    })),
  )
  const real: { meta: object }[] = JSON.parse(gunzipSync(readFileSync(TRAITS)).toString())
  const folder = join(market.dataDir, 'registry')
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: 'Bench', slug }))
  const items = ids.map((id, n) => ({ id, meta: real[n]!.meta }))
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(market.sql, folder, { now: new Date() })
  await market.mine()
  for (const [n, id] of ids.slice(0, LISTED).entries()) {
    if (n % 10 === 0) await market.anchors(20)
    await listAll(market, seller, slug, [id], 50_000 + n * 1000)
  }
  return slug
}

function print(screen: string, found: ReadonlyMap<string, number>): number {
  const rows = [...found].toSorted(([, a], [, b]) => b - a)
  console.log(`\n${screen}: ${rows.length} controls, milliseconds to the next paint\n`)
  for (const [name, milliseconds] of rows)
    console.log(
      `${milliseconds > GOAL_MILLISECONDS ? '!' : ' '} ${String(milliseconds).padStart(5)}  ${name}`,
    )
  return rows[0]?.[1] ?? 0
}

const nameOf = (path: readonly Control[]) => path.map((each) => each.name).join(' > ')

/** Presses each control of a page, and each that it brings; the median of the rounds, by the way to the control. */
async function measure(presses: Presses): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  const seen = new Set<string>()
  const ways: Control[][] = (await presses.begin()).map((each) => [each])
  for (const [first] of ways) seen.add(first!.key)
  for (let way = ways.shift(); way; way = ways.shift()) {
    if (values.only && !values.only.startsWith(nameOf(way))) continue
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      await presses.begin()
      for (const each of way.slice(0, -1)) await presses.press(each)
      const took = await presses.press(way.at(-1)!)
      if (took !== null) times.push(took)
      if (round > 0 || way.length > 1 || !presses.isAtHome()) continue
      for (const next of await presses.controls()) {
        if (seen.has(next.key)) continue
        seen.add(next.key)
        ways.push([...way, next])
      }
    }
    const median = times.toSorted((a, b) => a - b)[times.length >> 1]
    if (median !== undefined) found.set(nameOf(way), median)
  }
  return found
}

await buildStorefront()
const directory = mkdtempSync(join(tmpdir(), 'ordbook-bench-'))
chmodSync(directory, 0o755)
const postgres = await startEmbedded(directory)
const market = await startMarket({ LOG_LEVEL: 'silent' }, 'devnet', { databaseUrl: postgres.url })
const browser = await startBrowser()
try {
  const slug = await fill(market)
  let worst = 0
  for (const [screen, viewport] of Object.entries(SCREENS)) {
    const visitor = await browser.visitor(market.server.url, {
      context: { viewport, hasTouch: screen === 'phone' },
    })
    const presses = await Presses.on(visitor, `${market.server.url}/collection/${slug}`, slowdown)
    worst = Math.max(worst, print(screen, await measure(presses)))
    await visitor.context.close()
  }
  console.log(`\nworst ${worst} ms at a slowdown of ${slowdown}; the goal is ${GOAL_MILLISECONDS}`)
} finally {
  await browser.close()
  await market.stop()
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
