import { fork } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { registerEvents } from '@ordbook/http/events/events.ts'
import Fastify from 'fastify'

/**
 * `npm run bench -- visitors`: measures the CPU time of live events with 1,000 subscribers and 10 events per second. The subscribers run in
 * a separate process.
 */
const VISITORS = 1000
const OF_ONE_ADDRESS = 20
const EVENTS_A_SECOND = 10
const SECONDS = 20

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))

/** Runs the subscribers. Reports how many are connected, and how many events they received. */
async function subscribe(port: number): Promise<void> {
  let events = 0
  let connected = 0
  for (let n = 0; n < VISITORS; n++) {
    const localAddress = `127.0.1.${1 + Math.floor(n / OF_ONE_ADDRESS)}`
    get({ host: '127.0.0.1', port, path: '/events', localAddress, agent: false }, (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        events += text.split('event: listing').length - 1
      })
      if (++connected === VISITORS) process.send?.({ connected })
    })
    if (n % 50 === 49) await pause(50)
  }
  process.on('message', () => process.send?.({ events }))
}

async function measure(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-bench-'))
  chmodSync(directory, 0o755)
  const postgres = await startEmbedded(directory)
  const sql = connect(postgres.url, { max: 4 })
  await migrate(sql)
  const app = Fastify()
  registerEvents(app, { sql, log: app.log as never }, async () => null)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const visitors = fork(import.meta.filename, [new URL(address).port])
  const report = () =>
    new Promise<{ events?: number }>((done, fail) => {
      visitors.once('message', (message) => done(message as { events?: number }))
      setTimeout(() => fail(new Error('The subscribers did not report within a minute.')), 60_000).unref()
    })
  try {
    await report()
    const data = JSON.stringify({
      listingId: '00000000-0000-4000-8000-000000000001',
      inscriptionId: `${'a'.repeat(64)}i0`,
      state: 'buyable',
      priceSats: 70_000,
      collections: ['harbour-lamps'],
    })
    const before = process.cpuUsage()
    const began = performance.now()
    for (let n = 0; n < SECONDS * EVENTS_A_SECOND; n++) {
      await sql`insert into live_events (kind, data) values ('listing', ${data}::jsonb)`
      await pause(Math.max(0, began + ((n + 1) * 1000) / EVENTS_A_SECOND - performance.now()))
    }
    const { user, system } = process.cpuUsage(before)
    const cores = (user + system) / 1000 / (performance.now() - began)
    await pause(2000)
    const reported = report()
    visitors.send('count')
    const { events } = await reported
    console.log(
      `${VISITORS} visitors, ${EVENTS_A_SECOND} events per second: ${cores.toFixed(3)} of a core, ${events} events sent of ${VISITORS * SECONDS * EVENTS_A_SECOND}`,
    )
  } finally {
    visitors.kill()
    await app.close()
    await sql.end()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

const [port] = process.argv.slice(2)
if (port) await subscribe(Number(port))
else await measure()
