import { freePort } from '@ordbook/db/process/free-port.ts'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import { setUpMarket, setUpTrader } from '../support/market.ts'
import { importCollection, type Piece, settled } from './support/collection.ts'
import { everyKind, plain } from './support/pieces.ts'
import { socketFolder, startRenderer, type TestRenderer } from './support/renderer.ts'

const socket = socketFolder()
const market = setUpMarket({ PREVIEW_SOCKET: socket.path })
let renderer: TestRenderer
let health: string
const owner = setUpTrader(market)
afterAll(async () => {
  await renderer?.stop()
  socket.remove()
})

async function thumbnail(id: string, size: number) {
  const answer = await fetch(`${market.server.url}/preview/${id}/${size}`)
  return { answer, type: answer.headers.get('content-type'), body: Buffer.from(await answer.arrayBuffer()) }
}

async function middleOf(picture: Buffer): Promise<number[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * 3
  return [...data.subarray(at, at + 3)]
}

const rgbOf = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

it('returns an icon until the thumbnail exists', async () => {
  const { ids } = await importCollection(market, owner.wallet, [
    { contentType: 'text/html"><script>', body: 'a' },
  ])
  const { answer, type, body } = await thumbnail(ids[0]!, 384)
  expect([answer.status, type]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  expect(answer.headers.get('cache-control')).toBe('public, max-age=30')
  expect(body.toString()).not.toContain('<script>')
  expect((await thumbnail(ids[0]!, 385)).answer.status).toBe(400)
  expect((await thumbnail('0'.repeat(64), 96)).answer.status).toBe(400)
  expect((await thumbnail(`${'0'.repeat(64)}i0`, 96)).answer.status).toBe(404)
})

it('returns a small image until the thumbnail exists', async () => {
  const { ids } = await importCollection(market, owner.wallet, [
    { contentType: 'image/png', body: await plain(40, 40, '#123456').png().toBuffer() },
    { contentType: 'image/png', body: Buffer.alloc(64_001, 1) },
  ])
  const [small, large] = await Promise.all(ids.map((id) => fetch(`${market.server.url}/preview/${id}/384`)))
  expect([small!.status, small!.url]).toEqual([200, `${market.server.url}/content/${ids[0]}`])
  expect([large!.status, large!.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
})

describe('with a renderer', () => {
  const bounds = { 96: 8_000, 384: 40_000, 1024: 240_000 } as const

  it('renders thumbnails of every kind', async () => {
    const kinds = await everyKind()
    const { slug, ids } = await importCollection(market, owner.wallet, Object.values(kinds))
    health = `127.0.0.1:${await freePort()}`
    renderer = await startRenderer(socket.path, { HEALTH_SOCKET: health })
    const states = await settled(market, ids)
    expect(await (await fetch(`http://${health}/readyz`)).json()).toEqual({ status: 'ok', state: 'working' })
    const figures = await (await fetch(`http://${health}/metrics`)).text()
    expect(figures).toMatch(/^ordbook_renderer_items_total\{kind="raster",result="rendered"\} [1-9]/m)
    for (const [n, [name, { colour }]] of Object.entries(kinds).entries()) {
      const id = ids[n]!
      expect([name, states.get(id)?.state, states.get(id)?.failure]).toEqual([name, 'done', null])
      for (const size of [96, 384, 1024] as const) {
        const { answer, type, body } = await thumbnail(id, size)
        expect([name, type]).toEqual([name, 'image/webp'])
        expect(answer.headers.get('cache-control')).toContain('immutable')
        expect(body.length).toBeLessThanOrEqual(bounds[size])
        const { width, height, pages, exif } = await sharp(body).metadata()
        expect(Math.max(width, height)).toBeLessThanOrEqual(size)
        expect([pages, exif]).toEqual([undefined, undefined])
        if (colour)
          for (const [part, value] of (await middleOf(body)).entries())
            expect(Math.abs(value - rgbOf(colour)[part]!), `${name}, part ${part}`).toBeLessThan(16)
      }
    }
    const page = await fetch(`${market.server.url}/web/v1/collections/${slug}/items`)
    const { items } = (await page.json()) as { items: { inscriptionId: string; preview: object | null }[] }
    const shown = new Map(items.map((item) => [item.inscriptionId, item.preview]))
    const { placeholder } = shown.get(ids[0]!) as { placeholder: string }
    expect(placeholder).toMatch(/^data:image\/bmp;base64,/)
    expect(Buffer.from(placeholder.split(',')[1]!, 'base64').subarray(54, 57)).toEqual(
      Buffer.from([0, 128, 255]),
    )
    const svg = ids[Object.keys(kinds).indexOf('an SVG')]!
    expect(shown.get(svg)).toEqual({ placeholder: null })
  })

  it('stores the reason why content has no thumbnail', async () => {
    const bomb = Buffer.from(await plain(2, 2, '#000').png({ compressionLevel: 0 }).toBuffer())
    // The dimensions follow the PNG signature and the first chunk's header.
    bomb.writeUInt32BE(65_000, 16)
    bomb.writeUInt32BE(65_000, 20)
    const { ids } = await importCollection(market, owner.wallet, [
      { contentType: 'image/png', body: '' },
      { contentType: 'text/plain', body: ' \n\u0000' },
      { contentType: 'application/zip', body: 'PK' },
      { contentType: 'image/png', body: bomb },
      { contentType: 'text/plain', contentEncoding: 'br', body: 'not brotli' },
    ])
    const states = await settled(market, ids)
    expect(ids.map((id) => [states.get(id)?.state, states.get(id)?.attempts])).toEqual([
      ['impossible', 1],
      ['impossible', 1],
      ['impossible', 0],
      ['impossible', 1],
      ['impossible', 1],
    ])
    for (const id of ids) expect((await thumbnail(id, 96)).type).toBe('image/svg+xml; charset=utf-8')
  })

  it('counts thumbnails that fail', async () => {
    const broken = Array.from({ length: 12 }, () => ({
      contentType: 'image/png',
      body: `not a PNG ${Math.random()}`,
    }))
    await expectInMetrics(['previews-failing'], metricsAt(`http://${health}`), async () => {
      const { ids } = await importCollection(market, owner.wallet, broken)
      for (const { state } of (await settled(market, ids)).values()) expect(state).toBe('impossible')
    })
  })

  it('renders identical bytes once', async () => {
    const text = { contentType: 'text/plain', body: `the same ${Math.random()}` }
    const html = { contentType: 'text/html', body: `<p>${Math.random()}` }
    const { ids } = await importCollection(market, owner.wallet, [text, text, html, html])
    const states = await settled(market, ids)
    const keys = ids.map((id) => states.get(id)!.key)
    expect(keys[0]).toBe(keys[1])
    expect(keys[2]).not.toBe(keys[3])
  })

  it('renders the content of a delegate', async () => {
    const picture = { contentType: 'image/png', body: await plain(80, 80, '#aa5500').png().toBuffer() }
    const first = await importCollection(market, owner.wallet, [picture])
    const { ids } = await importCollection(market, owner.wallet, [
      { contentType: 'text/plain', body: '', delegate: first.ids[0]! },
    ])
    const states = await settled(market, [...ids, ...first.ids])
    expect(states.get(ids[0]!)!.key).toBe(states.get(first.ids[0]!)!.key)
    expect((await thumbnail(ids[0]!, 96)).type).toBe('image/webp')
  })

  it('renders letters and emoji of all scripts', async () => {
    const forms: ((letters: string) => Piece)[] = [
      (body) => ({ contentType: 'text/plain;charset=utf-8', body }),
      (letters) => ({
        contentType: 'text/html;charset=utf-8',
        body: `<body style="margin:0;font-size:200px">${letters}`,
      }),
      (letters) => ({
        contentType: 'image/svg+xml',
        body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text x="10" y="80" font-size="70">${letters}</text></svg>`,
      }),
    ]
    // The CJK number one is a flat stroke. The last code point is unassigned and drawn as a box.
    const letters = ['\u4e00', '\u{1f7e7}', '\u0378']
    const { ids } = await importCollection(
      market,
      owner.wallet,
      forms.flatMap((form) => letters.map((letter) => form(letter))),
    )
    await settled(market, ids)
    const drawn = async (n: number) => {
      const { body } = await thumbnail(ids[n]!, 1024)
      const { data, info } = await sharp(await sharp(body).flatten({ background: '#fff' }).toBuffer())
        .trim({ threshold: 60 })
        .png()
        .toBuffer({ resolveWithObject: true })
      return { ratio: info.width / info.height, middle: await middleOf(data) }
    }
    for (const at of [0, 3, 6]) {
      expect((await drawn(at)).ratio, 'a flat stroke').toBeGreaterThan(5)
      const [red, green, blue] = (await drawn(at + 1)).middle
      expect([red! > 220, green! > 100 && green! < 190, blue! < 90], 'orange').toEqual([true, true, true])
    }
    for (const at of [5, 8]) expect((await drawn(at)).ratio, 'a box').toBeLessThan(2)
  })

  it('does not run as root', async () => {
    if (process.getuid?.() !== 0) return
    const { spawnSync } = await import('node:child_process')
    const { status, stderr } = spawnSync(process.execPath, ['previews/src/main.ts'], {
      env: { PREVIEW_SOCKET: socket.path },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('must not run as root')])
  })
})
