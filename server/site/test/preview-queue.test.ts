import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countPreviews, listFailures } from '@ordbook/site/thumbnails/report-queries.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshWallet, setUpMarket, until } from '../../../e2e/support/market.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-queue-'))
const socketPath = join(folder, 'socket')
const market = setUpMarket({ PREVIEW_SOCKET: socketPath })
let ids: string[]
beforeAll(async () => {
  ids = (await market.collection(freshWallet(), 2)).ids
  await until('the queue', async () => (await states()).length === 2)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface State {
  key: string
  inscriptionId: string
  state: string
  attempts: number
  /** Minutes until the item is due. */
  minutes: number
}

const states = () => market.sql<State[]>`
  select encode(content_key, 'hex') as key, inscription_id, state, attempts,
    round(extract(epoch from due_at - now()) / 60)::int as minutes
  from previews where kind <> 'other' order by place`

async function post(path: string, value: object): Promise<{ key: string; inscriptionId: string } | null> {
  const body = await new Promise<string>((resolve, reject) => {
    const headers = { host: 'market', 'content-type': 'application/json' }
    request({ socketPath, path, method: 'POST', headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text))
    })
      .on('error', reject)
      .end(JSON.stringify(value))
  })
  return body ? JSON.parse(body) : null
}

const claim = () => post('/claims', { kinds: ['raster', 'text', 'document'] })
const fail = (key: string, isFinal: boolean) => post(`/failures/${key}`, { reason: 'too slow', isFinal })
const makeDue = (key: string) =>
  market.sql`update previews set due_at = now() where encode(content_key, 'hex') = ${key}`
const tileOf = async (id: string) => (await fetch(`${market.server.url}/preview/${id}/384`)).text()

it('claims the item with the fewest attempts first', async () => {
  const [first, second] = await states()
  const claimed = await claim()
  expect(claimed!.key).toBe(first!.key)
  await makeDue(first!.key)
  expect((await claim())!.key).toBe(second!.key)
  expect(await claim()).toMatchObject({ key: first!.key })
  expect(await claim()).toBe(null)
  await market.sql`update previews set attempts = 0, due_at = now()`
})

it('a renewal extends a claim', async () => {
  const { key } = (await claim())!
  await makeDue(key)
  await post(`/renewals/${key}`, {})
  expect((await states()).find((each) => each.key === key)).toMatchObject({ state: 'waiting', minutes: 2 })
  await market.sql`update previews set attempts = 0, due_at = now()`
})

it('retries a failure four times, with growing waits', async () => {
  const [{ key, inscriptionId } = { key: '', inscriptionId: '' }] = await states()
  await market.sql`update previews set state = 'done', rendered_at = now() where encode(content_key, 'hex') <> ${key}`
  expect(await tileOf(inscriptionId)).toContain('Preview in progress')
  const seen: [string, number][] = []
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect((await claim())?.key, `attempt ${attempt}`).toBe(key)
    await fail(key, false)
    const [now] = await states()
    seen.push([now!.state, now!.minutes])
    const tile = await tileOf(inscriptionId)
    expect(tile).toContain('Preview failed')
    if (attempt < 5) expect(tile).toContain(`Next try in ${now!.minutes} min`)
    expect(await claim()).toBe(null)
    await makeDue(key)
  }
  expect(seen.slice(0, 4)).toEqual([1, 5, 15, 60].map((minutes) => ['waiting', minutes]))
  expect(seen[4]![0]).toBe('failed')
  expect(await claim()).toBe(null)
  expect(await listFailures(market.sql, 5)).toContainEqual({
    state: 'failed',
    kind: expect.any(String),
    failure: 'too slow',
    count: 1,
    inscriptionId,
  })
})

it('does not retry content that has no thumbnail', async () => {
  await market.sql`update previews set state = 'waiting', attempts = 0, due_at = now(), rendered_at = null, failure = null`
  const { key, inscriptionId } = (await claim())!
  await fail(key, true)
  await makeDue(key)
  expect((await states()).find((each) => each.key === key)).toMatchObject({
    state: 'impossible',
    attempts: 1,
  })
  expect((await claim())?.key).not.toBe(key)
  expect(await claim()).toBe(null)
  expect(await tileOf(inscriptionId)).toMatch(/ kB</)
  expect((await countPreviews(market.sql)).map(({ state }) => state)).toContain('impossible')
  expect(ids).toContain(inscriptionId)
})
