import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { numbersIn } from '@ordbook/previews/machine.ts'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { importCollection, settled } from '../previews/support/collection.ts'
import { socketFolder, startRenderer, type TestRenderer } from '../previews/support/renderer.ts'
import { freshWallet, setUpMarket, until } from '../support/market.ts'
import { html } from './attack.ts'

/** Two workers of a renderer with a browser each. A hostile item must affect only its own browser. */
const socket = socketFolder()
const market = setUpMarket({ PREVIEW_SOCKET: socket.path })
let renderer: TestRenderer
const folder = mkdtempSync(join(tmpdir(), 'ordbook-neighbours-'))
chmodSync(folder, 0o777)

beforeEach(async () => {
  renderer = await startRenderer(socket.path, {
    PREVIEW_CONCURRENCY: '2',
    tuning: { previewSeconds: 100, previewBrowserMegabytes: 900 },
    TMPDIR: folder,
  })
})
afterEach(async () => {
  await renderer.stop()
  await market.sql`update previews set state = 'failed', failure = 'its test is over' where state = 'waiting'`
})
afterAll(() => {
  socket.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** Animated pages take the maximum settling time. */
const honest = (count: number) =>
  Array.from({ length: count }, () =>
    html(
      `<title>${randomUUID()}</title><script>setInterval(() => { document.body.style.background = '#' + String(Math.random()).slice(2, 8) }, 20)</script>`,
    ),
  )
const hostile = (script: string) => html(`<script>/* ${randomUUID()} */ ${script}</script>`)

async function stateOf(id: string) {
  const [row] = await market.sql<{ state: string; attempts: number; failure: string | null }[]>`
    select p.state, p.attempts, p.failure from previewed_inscriptions i join previews p using (content_key)
    where i.inscription_id = ${id}`
  return row ?? null
}

async function expectAllDone(ids: readonly string[]) {
  for (const state of (await settled(market, ids, 90)).values())
    expect(state).toMatchObject({ state: 'done', attempts: 1, failure: null })
}

/** CPU affinities of browsers that use the directory. */
const processorsOfBrowsers = () =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      if (!line.includes(`--user-data-dir=${folder}`) || line.includes('--type=')) return []
      const status = readFileSync(`/proc/${pid}/status`, 'latin1')
      return [numbersIn(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)![1]!)]
    } catch {
      return []
    }
  })

it.each([
  [
    'uses every processor',
    "for (let n = 0; n < 64; n++) new Worker('data:text/javascript,for (;;);')\nfor (;;);",
  ],
  ['requests content endlessly', "for (let n = 0; n < 499; n++) fetch(location.href + '?' + n)\nfor (;;);"],
])('renders other items next to one that %s', async (_, script) => {
  const { ids } = await importCollection(market, freshWallet(), [hostile(script)])
  await until('an attempt to render the hostile item', async () => (await stateOf(ids[0]!))?.attempts === 1)
  const beside = await importCollection(market, freshWallet(), honest(4))
  await expectAllDone(beside.ids)
  expect(await stateOf(ids[0]!)).toEqual({ state: 'waiting', attempts: 1, failure: null })
  const shares = [...new Set(processorsOfBrowsers().map(String))]
  if (availableParallelism() === 1) return expect(shares).toHaveLength(1)
  expect(shares).toHaveLength(2)
  const all = shares.join().split(',')
  expect(new Set(all).size, 'each processor is used once').toBe(all.length)
})

it.each([
  ['memory', 'const kept = []\nfor (;;) kept.push(new Uint8Array(16 * 2 ** 20).fill(kept.length + 1))'],
  ['threads', "for (let n = 0; n < 3000; n++) new Worker('data:text/javascript,for (;;);')\nfor (;;);"],
])('kills only the browser that exhausts %s', async (_, script) => {
  const wallet = freshWallet()
  const { ids } = await importCollection(
    market,
    wallet,
    Array.from({ length: 3 }, () => [hostile(script), ...honest(1)]).flat(),
  )
  await expectAllDone(ids.filter((_, n) => n % 2 === 1))
  for (const id of ids.filter((_, n) => n % 2 === 0))
    await until('the hostile item to fail', async () => (await stateOf(id))?.failure != null)
})
