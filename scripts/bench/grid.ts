import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startMachine } from './market.ts'

/**
 * `npm run bench:grid`: the item grid of a collection of 100,000 items (`BENCH_ITEMS`), all listed at one price, beside that of one of
 * 48; and the 99th percentile of the small one's page alone, beside twelve visitors of the large collection who each open a page a
 * second, and beside twelve who never pause. Each with responses kept, and without; rounds are interleaved and medians taken.
 */
const ITEMS = Number(process.env.BENCH_ITEMS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const MILLISECONDS = Number(process.env.BENCH_MILLISECONDS ?? 1500)
const VISITORS = 12

const run = promisify(execFile)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!
const pathOf = (slug: string) => `/web/v1/collections/${slug}/items?limit=48`

interface Load {
  requests: number
  perSecond: number
  p99Ms: number
}

/** The load of some connections on a URL, each with a pause between its requests, in milliseconds. */
async function load(url: string, connections: number, pause: number): Promise<Load> {
  const { stdout } = await run(
    process.execPath,
    ['--no-warnings', join(import.meta.dirname, 'load.ts'), url, String(connections), String(MILLISECONDS)],
    { env: { ...process.env, PAUSE: String(pause) } },
  )
  return JSON.parse(stdout) as Load
}

const machine = await startMachine()

async function measureCost(small: string, large: string): Promise<string> {
  const cost = new Map<string, number[]>([
    [small, []],
    [large, []],
  ])
  for (let round = 0; round < ROUNDS; round++)
    for (const [url, values] of cost) {
      const before = machine.cpu()
      const { requests } = await load(url, 16, 0)
      values.push((machine.cpu() - before) / requests)
    }
  const [ofSmall, ofLarge] = [median(cost.get(small)!), median(cost.get(large)!)]
  return `${ofSmall.toFixed(0)} | ${ofLarge.toFixed(0)} | ${(ofLarge / ofSmall).toFixed(2)}`
}

async function measureLatency(small: string, large: string): Promise<string> {
  const alone: number[] = []
  const beside: number[] = []
  const besideBusy: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    alone.push((await load(small, 1, 5)).p99Ms)
    for (const [pause, values] of [
      [1000, beside],
      [0, besideBusy],
    ] as const) {
      const visitors = load(large, VISITORS, pause)
      values.push((await load(small, 1, 5)).p99Ms)
      await visitors
    }
  }
  return [alone, beside, besideBusy].map((each) => median(each).toFixed(1)).join(' | ')
}

try {
  const more = readFileSync(join(import.meta.dirname, 'large.sql'), 'utf8').replaceAll(
    ':items',
    String(ITEMS),
  )
  const databaseUrl = await machine.fill(1000, more)
  console.log(
    `| responses | 48 items, µs CPU | ${ITEMS} items, µs CPU | ratio | p99 alone, ms | beside ${VISITORS} visitors | beside ${VISITORS} without a pause |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |`,
  )
  for (const [name, megabytes] of [
    ['kept', 64],
    ['fresh', 0],
  ] as const) {
    const { url } = await machine.serve(databaseUrl, megabytes)
    const [small, large] = [`${url}${pathOf('bench-tiny')}`, `${url}${pathOf('bench-huge')}`]
    // Each page once before it is measured: its rows are rendered then.
    for (const each of [small, large]) await load(each, 1, 0)
    console.log(`| ${name} | ${await measureCost(small, large)} | ${await measureLatency(small, large)} |`)
  }
} finally {
  await machine.stop()
}
process.exit(0)
