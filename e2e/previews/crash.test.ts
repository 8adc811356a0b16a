import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { freshWallet, setUpMarket, until } from '../support/market.ts'
import { importCollection, settled } from './support/collection.ts'
import { plain } from './support/pieces.ts'
import { socketFolder, startRenderer, type TestRenderer } from './support/renderer.ts'

const socket = socketFolder()
const ROOM_MEGABYTES = 16
const market = setUpMarket({ PREVIEW_SOCKET: socket.path, PREVIEW_MEGABYTES: String(ROOM_MEGABYTES) })
let renderer: TestRenderer
const folder = mkdtempSync(join(tmpdir(), 'ordbook-crash-'))
chmodSync(folder, 0o777)

afterAll(async () => {
  await renderer?.stop()
  socket.remove()
  rmSync(folder, { recursive: true, force: true })
})

const picture = async () => ({
  contentType: 'image/png',
  body: await plain(80, 80, `#${randomBytes(3).toString('hex')}`)
    .png()
    .toBuffer(),
})

/** Returns true if any process uses the renderer's directory. */
const isWorkedIn = () =>
  readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder)
    } catch {
      return false
    }
  })

it('renders the items of a killed renderer again', async () => {
  const hanging = { contentType: 'text/html', body: '<script>for (;;);</script>' }
  const { ids } = await importCollection(market, freshWallet(), [hanging])
  const started = () => startRenderer(socket.path, { TMPDIR: folder, tuning: { previewSeconds: 100 } })
  renderer = await started()
  const attempts = async () => {
    const [row] = await market.sql<{ attempts: number }[]>`
      select attempts from previews where inscription_id = ${ids[0]!}`
    return row?.attempts
  }
  await until('the first attempt', async () => (await attempts()) === 1)
  await until('the browser', async () => isWorkedIn())
  renderer.process.kill('SIGKILL')
  await until('the browser to end', async () => !isWorkedIn())
  // Simulate that the renderer's two minutes have passed.
  await market.sql`update previews set due_at = now() where inscription_id = ${ids[0]!}`
  renderer = await started()
  await until('the second attempt', async () => (await attempts()) === 2)
  const honest = await importCollection(market, freshWallet(), [await picture()])
  expect((await settled(market, honest.ids)).get(honest.ids[0]!)).toMatchObject({
    state: 'done',
    attempts: 1,
  })
})

it('stops requesting items while writes fail', async () => {
  const pages = Array.from({ length: 6 }, () => ({
    contentType: 'text/html',
    body: randomBytes(8).toString('hex'),
  }))
  const closed = mkdtempSync(join(tmpdir(), 'ordbook-closed-'))
  chmodSync(closed, 0o500)
  await renderer.stop()
  renderer = await startRenderer(socket.path, { TMPDIR: closed, PREVIEW_CONCURRENCY: '2', LOG_LEVEL: 'warn' })
  const { ids } = await importCollection(market, freshWallet(), pages)
  await until('the queue', async () => {
    const [row] = await market.sql<{ count: number }[]>`
      select count(*) as count from previewed_inscriptions where inscription_id = any(${ids}::text[])`
    return row!.count === ids.length
  })
  await until('the log to report the error', async () =>
    renderer.log().includes('permission denied, mkdtemp'),
  )
  // Retries happen after 1, 2 and 4 seconds.
  await new Promise((done) => setTimeout(done, 8000))
  expect(renderer.log().match(/a worker stopped/g)).toHaveLength(1)
  const [row] = await market.sql<{ attempts: number }[]>`
    select sum(attempts)::int as attempts from previews where inscription_id = any(${ids}::text[])`
  expect(row!.attempts, 'one item per worker').toBeLessThanOrEqual(2)
  await until('the metric to grow', async () => {
    const stalled = await (await fetch(`${market.server.url}/metrics`)).text()
    return Number(/^ordbook_preview_stalled_seconds (\S+)$/m.exec(stalled)?.[1]) > 5
  })
  chmodSync(closed, 0o777)
  for (const state of (await settled(market, ids)).values()) expect(state.state).toBe('done')
  // Workers wait up to half a minute between retries, and count as recovered after their next item.
  await until(
    'the log to report the recovery',
    async () => renderer.log().includes('all workers recovered'),
    90,
  )
  await until('the metric to be reset', async () => {
    const over = await (await fetch(`${market.server.url}/metrics`)).text()
    return /^ordbook_preview_stalled_seconds 0$/m.test(over)
  })
  await renderer.stop()
  rmSync(closed, { recursive: true, force: true })
  renderer = await startRenderer(socket.path)
})

it('deletes the largest thumbnails near the size limit', async () => {
  const { ids } = await importCollection(market, freshWallet(), [await picture(), await picture()])
  await settled(market, ids)
  const sizes = async (id: string) => {
    const rows = await market.sql<{ size: number }[]>`
      select size from thumbnails join previewed_inscriptions using (content_key)
      where inscription_id = ${id} order by size`
    return rows.map(({ size }) => size)
  }
  const fill = (size: number, megabytes: number) => market.sql`
    update thumbnails set bytes = ${megabytes * 2 ** 20} where size = ${size} and content_key in (
      select content_key from previewed_inscriptions where inscription_id = ${ids[0]!})`
  await fill(1024, ROOM_MEGABYTES)
  await until('the largest thumbnails to be deleted', async () => (await sizes(ids[0]!)).length === 2)
  const answer = await fetch(`${market.server.url}/preview/${ids[0]}/1024`)
  expect(answer.headers.get('content-type')).toBe('image/webp')

  await fill(96, ROOM_MEGABYTES)
  // Storage is measured twice a minute.
  await new Promise((done) => setTimeout(done, 31_000))
  const newItem = await importCollection(market, freshWallet(), [await picture()])
  const state = async () => {
    const [row] = await market.sql<{ state: string; attempts: number }[]>`
      select state, attempts from previews where inscription_id = ${newItem.ids[0]!}`
    return row
  }
  await until('the item to be queued', async () => (await state()) !== undefined)
  await new Promise((done) => setTimeout(done, 4000))
  expect(await state()).toEqual({ state: 'waiting', attempts: 0 })
  await fill(96, 0)
  expect((await settled(market, newItem.ids)).get(newItem.ids[0]!)?.state).toBe('done')
}, 180_000)
