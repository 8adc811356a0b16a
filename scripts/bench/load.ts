import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { integerIn, readCommand } from '../command.ts'

/**
 * Sends requests to one URL over keep-alive connections: `node load.ts URL CONNECTIONS MILLISECONDS`, with the bearer token in TOKEN and
 * PAUSE milliseconds between requests. Prints requests per second, median and 99th percentile of the latency as JSON. Exits with 1 if a
 * response is not 200.
 */
const USAGE = 'usage: node scripts/bench/load.ts URL CONNECTIONS MILLISECONDS'
const [url, connections, milliseconds] = readCommand(USAGE, { allowPositionals: true }).positionals
const agent = new Agent({ keepAlive: true, maxSockets: integerIn(connections, 'CONNECTIONS', 1, 10_000) })
const headers = process.env.TOKEN ? { authorization: `Bearer ${process.env.TOKEN}` } : {}
const pause = integerIn(process.env.PAUSE ?? '0', 'PAUSE', 0, 60_000)
const latencies: number[] = []

function once(): Promise<void> {
  return new Promise((done, fail) => {
    const started = performance.now()
    request(url!, { agent, headers }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`${url} returned ${response.statusCode}`))
      response.resume().once('end', () => {
        latencies.push(performance.now() - started)
        done()
      })
    })
      .once('error', fail)
      .end()
  })
}

const WARM = 20
for (let warm = 0; warm < WARM; warm++) await once()
latencies.length = 0
const started = performance.now()
const end = started + integerIn(milliseconds, 'MILLISECONDS', 1, 3_600_000)
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (performance.now() < end) {
      await once()
      if (pause > 0) await setTimeout(pause)
    }
  }),
)
const seconds = (performance.now() - started) / 1000
const requests = latencies.length + WARM
const sorted = latencies.toSorted((a, b) => a - b)
console.log(
  JSON.stringify({
    requests,
    perSecond: latencies.length / seconds,
    medianMs: sorted[sorted.length >> 1],
    p99Ms: sorted[Math.floor(sorted.length * 0.99)],
  }),
)
agent.destroy()
