import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isThorough } from '../support/effort.ts'
import { until } from '../support/market.ts'
import {
  type ChaosFault,
  type ChaosMarket,
  databaseFaults,
  otherFaults,
  startChaosMarket,
} from './support/market.ts'
import { SCRAPE_SECONDS, startPrometheus } from './support/prometheus.ts'

/** Injects each fault of the chaos suite and expects its alert in a real Prometheus. */
let chaos: ChaosMarket
let prometheus: Awaited<ReturnType<typeof startPrometheus>>

const HOLD = 4 * SCRAPE_SECONDS * 1000

beforeAll(async () => {
  chaos = await startChaosMarket()
  await chaos.market.server.close()
  await chaos.restart(0)
  await chaos.restart(1)
  prometheus = await startPrometheus(chaos.servers.map(({ port }) => `127.0.0.1:${port}`))
  await until('both servers to be scraped', async () => (await prometheus.up()) === 2)
  // New anchors and tail coins need blocks.
  await until('a full pool', async () => {
    await chaos.mine()
    await sleep(SCRAPE_SECONDS * 1000)
    return (await prometheus.firing()).length === 0
  })
}, 300_000)
afterAll(async () => {
  await prometheus?.stop()
  await chaos?.stop()
})

const waitForNoAlerts = async () => {
  let firing: string[] = []
  await until('all alerts to end', async () => (firing = await prometheus.firing()).length === 0, 90).catch(
    () => {
      throw new Error(`still firing: ${firing.join(', ')}`)
    },
  )
}

const lasting: ChaosFault = {
  name: 'database: stopped',
  async run({ database }, hold) {
    await database.stop('fast')
    await sleep(hold)
    await database.start()
  },
}
/** Faults that end before an alert can fire. */
const PASSING = [
  'database: fast restart',
  'database: immediate restart',
  'database: kill -9',
  'node: restart',
  'node: kill -9',
]
const EXPECTED: Record<string, string> = {
  database: 'OrdbookDatabaseDown',
  // PostgreSQL shuts down if it cannot write its WAL.
  disk: 'OrdbookDatabaseDown',
  node: 'OrdbookNodeDown',
  redis: 'OrdbookRedisDown',
  clock: 'OrdbookClockOff',
  server: 'OrdbookServerDown',
}
const kindOf = ({ name }: ChaosFault) => name.split(':')[0]!
const faults = [lasting, ...databaseFaults, ...otherFaults].filter(({ name }) => !PASSING.includes(name))
const sample = Object.keys(EXPECTED).map((kind) => faults.find((fault) => kindOf(fault) === kind)!)

it.each((isThorough ? faults : sample).map((fault) => [fault.name, fault] as const))(
  'fires an alert during: %s',
  async (_, fault) => {
    const fired = new Set<string>()
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        for (const name of await prometheus.firing()) fired.add(name)
        await sleep(500)
      }
    })()
    await fault.run(chaos, HOLD)
    isOver = true
    await watching
    expect([...fired]).toContain(EXPECTED[kindOf(fault)])
    await waitForNoAlerts()
  },
  180_000,
)
