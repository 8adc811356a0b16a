import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAll, setUpMarket, setUpTrader, until } from '../support/market.ts'
import { importCollection, settled } from './support/collection.ts'
import { plain } from './support/pieces.ts'
import { socketFolder, startRenderer, type TestRenderer } from './support/renderer.ts'

const socket = socketFolder()
const market = setUpMarket({ PREVIEW_SOCKET: socket.path })
let renderer: TestRenderer | null = null
const owner = setUpTrader(market)
let slug: string
let ids: string[]
const ART = '#20a060'
beforeAll(async () => {
  const picture = async (colour: string) => ({
    contentType: 'image/png',
    body: await plain(400, 400, colour).png().toBuffer(),
  })
  const pieces = await Promise.all([ART, '#2060a0', '#a02060'].map(picture))
  ;({ slug, ids } = await importCollection(market, owner.wallet, pieces))
})
afterAll(async () => {
  await renderer?.stop()
  socket.remove()
})

async function tagsOf(path: string) {
  const text = await (await fetch(`${market.server.url}${path}`, { headers: { accept: '*/*' } })).text()
  const tag = (name: string) =>
    new RegExp(`<meta (?:property|name)="${name}" content="([^"]*)">`).exec(text)?.[1] ?? null
  return { picture: tag('og:image')!, width: tag('og:image:width'), card: tag('twitter:card') }
}

async function pictureAt(url: string) {
  const answer = await fetch(url)
  const body = Buffer.from(await answer.arrayBuffer())
  return { url: answer.url, type: answer.headers.get('content-type'), headers: answer.headers, body }
}

/** Fetches an OG image. Retries, because on a loaded machine the first request may time out. */
const cardAt = (url: string) =>
  until(
    'the card to be drawn',
    async () => {
      const picture = await pictureAt(url)
      return picture.type === 'image/jpeg' && picture
    },
    60,
  )
const drawn = () => renderer!.log().match(/drew a card/g)!.length

/** Connects to draw OG images, like a renderer, and handles one request with `answer`. */
async function offerCard(answer: (response: ServerResponse) => unknown): Promise<Socket> {
  const upgradeRequest = request({
    socketPath: socket.path,
    path: '/cards',
    headers: { connection: 'Upgrade', upgrade: 'ordbook-cards' },
  }).end()
  const [, connection] = (await once(upgradeRequest, 'upgrade')) as [unknown, Socket]
  connection.on('error', () => {})
  createServer((_request, response) => answer(response)).emit('connection', connection)
  return connection
}

it('uses the default image for items without a thumbnail', async () => {
  const path = `/inscription/${ids[0]}`
  // On a busy machine the data may be too late for the first document.
  await expect
    .poll(() => tagsOf(path), { timeout: 30_000 })
    .toEqual({
      picture: `${market.server.url}/content/${ids[0]}`,
      width: null,
      card: 'summary',
    })
})

it('draws the OG image of an item on request', async () => {
  renderer = await startRenderer(socket.path)
  await settled(market, ids)
  const path = `/inscription/${ids[0]}`
  const tags = await tagsOf(path)
  expect(tags).toMatchObject({ width: '1200', card: 'summary_large_image' })
  expect(tags.picture).toMatch(/\/card\/inscription\/[0-9a-f]{64}i\d+\/[0-9a-f]{64}\.jpg$/)
  expect(renderer.log()).not.toContain('drew a card')
  const { url, headers, body } = await cardAt(tags.picture)
  expect(url).toBe(tags.picture)
  expect(headers.get('cache-control')).toContain('immutable')
  expect(headers.get('content-security-policy')).toContain('sandbox')
  const { width, height, format } = await sharp(body).metadata()
  expect([width, height, format]).toEqual([1200, 630, 'jpeg'])
  const [red, green, blue] = await sharp(body)
    .extract({ left: 300, top: 300, width: 1, height: 1 })
    .raw()
    .toBuffer()
  expect(
    [Math.abs(red! - 0x20), Math.abs(green! - 0xa0), Math.abs(blue! - 0x60)].every((each) => each < 16),
  ).toBe(true)
  // Repeated and concurrent requests return the same image without drawing it again.
  const before = drawn()
  const repeated = await Promise.all([pictureAt(tags.picture), pictureAt(tags.picture)])
  expect(repeated.every((each) => each.body.equals(body))).toBe(true)
  expect(drawn()).toBe(before)
})

it('redirects from an outdated OG image to the current one', async () => {
  const path = `/inscription/${ids[1]}`
  const before = await tagsOf(path)
  await cardAt(before.picture)
  await listAll(market, owner, slug, [ids[1]!], 70_000)
  const after = await tagsOf(path)
  expect(after.picture).not.toBe(before.picture)
  const now = await cardAt(after.picture)
  const led = await pictureAt(before.picture)
  expect([led.url, led.body.equals(now.body)]).toEqual([after.picture, true])
})

it('draws hostile collection names as text', async () => {
  const name = `<span foreground="red">&${'\u202e'}${'𠀀'.repeat(1200)}`
  await market.sql`update collections set name = ${name} where slug = ${slug}`
  const { picture } = await tagsOf(`/collection/${slug}`)
  const { body } = await cardAt(picture)
  expect((await sharp(body).metadata()).width).toBe(1200)
})

it('rejects invalid OG image URLs', async () => {
  const statusOf = async (path: string) => (await fetch(`${market.server.url}${path}`)).status
  const key = '0'.repeat(64)
  expect(await statusOf(`/card/inscription/${ids[0]}/x.jpg`)).toBe(400)
  expect(await statusOf(`/card/inscription/${'0'.repeat(64)}i0/${key}.jpg`)).toBe(404)
  expect(await statusOf(`/card/wallet/${ids[0]}/${key}.jpg`)).toBe(404)
  expect(await statusOf(`/card/__proto__/${ids[0]}/${key}.jpg`)).toBe(404)
})

it('serves the thumbnail if no renderer is connected', async () => {
  await renderer!.stop()
  const thumbnail = [`${market.server.url}/preview/${ids[2]}/1024`, 'image/webp']
  const { picture } = await tagsOf(`/inscription/${ids[2]}`)
  const shown = async () => {
    const { url, type } = await pictureAt(picture)
    return [url, type]
  }
  expect(await shown()).toEqual(thumbnail)
  // A compromised renderer returns no JPEG, too many bytes, fewer than announced, or nothing.
  const jpeg = Buffer.from([0xff, 0xd8, 0xff])
  const answers: ((response: ServerResponse) => unknown)[] = [
    (response) => response.end('<script>'),
    (response) => response.end(Buffer.concat([jpeg, Buffer.alloc(200_000)])),
    (response) => response.writeHead(200, { 'content-length': 9 }).end(jpeg, () => response.destroy()),
    (response) => response.writeHead(500).end(jpeg),
    (response) => response.destroy(),
    () => {},
  ]
  for (const [n, answer] of answers.entries()) {
    const connection = await offerCard(answer)
    expect(await shown(), `answer ${n}`).toEqual(thumbnail)
    expect(connection.closed || (await once(connection, 'close')), `answer ${n}`).toBeTruthy()
  }
})

it('draws OG images once a renderer is connected', async () => {
  // The server must not use a connection that was closed while idle.
  ;(await offerCard(() => {})).destroy()
  renderer = await startRenderer(socket.path)
  await cardAt((await tagsOf(`/inscription/${ids[2]}`)).picture)
})
