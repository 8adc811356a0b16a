import { boundCards } from '@ordbook/site/thumbnails/card-queries.ts'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAll, startMarket, type TestMarket, type TestTrader, until } from '../support/market.ts'
import { importCollection, settled } from './support/collection.ts'
import { plain } from './support/pieces.ts'
import { socketFolder, startRenderer, type TestRenderer } from './support/renderer.ts'

/** Links to items, collections and receipts show a composed card, which a renderer draws when it is asked for. */
let market: TestMarket
let renderer: TestRenderer | null = null
let owner: TestTrader
let slug: string
let ids: string[]
const socket = socketFolder()
const ART = '#20a060'
beforeAll(async () => {
  market = await startMarket({ PREVIEW_SOCKET: socket.path })
  owner = await market.trader()
  const picture = async (colour: string) => ({
    contentType: 'image/png',
    body: await plain(400, 400, colour).png().toBuffer(),
  })
  const pieces = await Promise.all([ART, '#2060a0', '#a02060'].map(picture))
  ;({ slug, ids } = await importCollection(market, owner.wallet, pieces))
})
afterAll(async () => {
  await renderer?.stop()
  await market?.stop()
  socket.remove()
})

/** The tags of a page as a client that previews links reads them. */
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

const waiting = async () =>
  (await market.sql<{ count: number }[]>`select count(*) as count from og_images where state = 'waiting'`)[0]!
    .count

it('keeps the picture of today for items without a still', async () => {
  const path = `/inscription/${ids[0]}`
  // On a busy machine the reads of the first document may come too late for it.
  await expect
    .poll(() => tagsOf(path))
    .toEqual({
      picture: `${market.server.url}/content/${ids[0]}`,
      width: null,
      card: 'summary',
    })
})

it('draws the card of an item when its picture is asked for, and keeps it for good', async () => {
  renderer = await startRenderer(socket.path)
  await settled(market, ids)
  const path = `/inscription/${ids[0]}`
  const tags = await tagsOf(path)
  expect(tags).toMatchObject({ width: '1200', card: 'summary_large_image' })
  expect(tags.picture).toMatch(/\/card\/inscription\/[0-9a-f]{64}i\d+\/[0-9a-f]{64}\.jpg$/)
  // Views of a page have nothing drawn.
  expect(await market.sql`select from og_images`).toHaveLength(0)
  const { url, type, headers, body } = await pictureAt(tags.picture)
  expect([url, type]).toEqual([tags.picture, 'image/jpeg'])
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
  // The same address, again and at once, is the same picture without any drawing.
  const again = await Promise.all([pictureAt(tags.picture), pictureAt(tags.picture)])
  expect(again.every((each) => each.body.equals(body))).toBe(true)
  expect((await renderer.log()).match(/drew a card/g)).toHaveLength(1)
})

it('leads from the card of a former price to that of the present one, which takes its place', async () => {
  const path = `/inscription/${ids[1]}`
  const before = await tagsOf(path)
  await pictureAt(before.picture)
  await listAll(market, owner, slug, [ids[1]!], 70_000)
  const after = await tagsOf(path)
  expect(after.picture).not.toBe(before.picture)
  const now = await pictureAt(after.picture)
  expect(now.type).toBe('image/jpeg')
  const led = await pictureAt(before.picture)
  expect([led.url, led.body.equals(now.body)]).toEqual([after.picture, true])
  expect(await market.sql`select from og_images where subject = ${path}`).toHaveLength(1)
})

it('draws cards of collections, and hostile names as texts', async () => {
  const name = `<span foreground="red">&${'\u202e'}${'𠀀'.repeat(1200)}`
  await market.sql`update collections set name = ${name} where slug = ${slug}`
  const { picture } = await tagsOf(`/collection/${slug}`)
  const { type, body } = await pictureAt(picture)
  expect([type, (await sharp(body).metadata()).width]).toEqual(['image/jpeg', 1200])
})

it('refuses addresses of no card, and what is not known', async () => {
  const statusOf = async (path: string) => (await fetch(`${market.server.url}${path}`)).status
  const key = '0'.repeat(64)
  expect(await statusOf(`/card/inscription/${ids[0]}/x.jpg`)).toBe(400)
  expect(await statusOf(`/card/inscription/${'0'.repeat(64)}i0/${key}.jpg`)).toBe(404)
  expect(await statusOf(`/card/wallet/${ids[0]}/${key}.jpg`)).toBe(404)
  expect(await statusOf(`/card/__proto__/${ids[0]}/${key}.jpg`)).toBe(404)
})

it('shows the still where no renderer brings the card, and bounds what waits and what is kept', async () => {
  await renderer!.stop()
  const { picture } = await tagsOf(`/inscription/${ids[2]}`)
  const shown = await pictureAt(picture)
  expect([shown.url, shown.type]).toEqual([`${market.server.url}/preview/${ids[2]}/1024`, 'image/webp'])
  expect(await waiting()).toBe(1)
  // A flood of other addresses fills the queue up to its bound.
  await market.sql`
    insert into og_images (image_key, subject, content_key, texts, state, due_at, requested_at)
    select sha256(n::text::bytea), n::text, '', '{}', 'waiting', now(), now() from generate_series(1, 99) n`
  await listAll(market, owner, slug, [ids[2]!], 90_000)
  const next = await pictureAt((await tagsOf(`/inscription/${ids[2]}`)).picture)
  expect(next.type).toBe('image/webp')
  expect(await waiting()).toBe(100)
  const later = new Date(Date.now() + 1000)
  await boundCards(market.sql, 1, later)
  const kept = await market.sql<{ state: string }[]>`select state from og_images`
  expect(kept.map(({ state }) => state)).toEqual(['done'])
  // A renderer that comes back draws the card that is asked for then.
  renderer = await startRenderer(socket.path)
  await until('the card', async () => {
    const { picture } = await tagsOf(`/inscription/${ids[2]}`)
    return (await pictureAt(picture)).type === 'image/jpeg'
  })
})
