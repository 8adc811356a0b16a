import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importCollection } from '../previews/support/collection.ts'
import { socketFolder, startRenderer, type TestRenderer } from '../previews/support/renderer.ts'
import { isThorough, sampled } from '../support/effort.ts'
import { startMarket, type TestMarket } from '../support/market.ts'
import type { Attack, Scene } from './attack.ts'
import { html } from './attack.ts'
import { decoders } from './decoders.ts'
import { network } from './network.ts'
import { reach } from './reach.ts'
import { stall } from './stall.ts'
import { openTrap, type Trap } from './trap.ts'

/** Renders hostile content. After each attack, the thumbnail of an honest item must be correct. */
const SECONDS = 6
const PER_FAMILY = sampled(5, 1000, 3)
const FAMILIES = { network, reach, stall, decoders }
const attacks: Attack[] = Object.values(FAMILIES).flatMap((family) =>
  family.filter((_, n) => n % Math.ceil(family.length / PER_FAMILY) === 0),
)

let market: TestMarket
let renderer: TestRenderer
let trap: Trap
let scene: Scene
let attackIds: string[]
let honestIds: string[]
const socket = socketFolder()
const folder = mkdtempSync(join(tmpdir(), 'ordbook-hostile-'))
chmodSync(folder, 0o777)

interface End {
  state: string
  attempts: number
  failure: string | null
}

async function ends(ids: readonly string[]): Promise<Map<string, End>> {
  for (let waited = 0; ; waited++) {
    const rows = await market.sql<(End & { inscriptionId: string })[]>`
      select i.inscription_id, p.state, p.attempts, p.failure from previewed_inscriptions i join previews p using (content_key)
      where i.inscription_id = any(${ids as string[]}::text[])`
    const ended = rows.filter((row) => row.state !== 'waiting' || row.failure !== null)
    if (ended.length === ids.length) return new Map(ended.map((row) => [row.inscriptionId, row]))
    if (waited > (isThorough ? 1500 : 240)) {
      const missing = ids.filter((id) => !ended.some((row) => row.inscriptionId === id))
      const names = missing.map((id) => attacks[attackIds.indexOf(id)]?.name ?? 'an honest piece')
      throw new Error(`not rendered in time: ${names.join(', ')}\n${renderer.log().slice(-3000)}`)
    }
    await new Promise((done) => setTimeout(done, 1000))
  }
}

/** Returns the colour in the middle of a thumbnail, or null if there is none. */
async function colourOf(id: string): Promise<number[] | null> {
  const answer = await fetch(`${market.server.url}/preview/${id}/96`)
  if (answer.headers.get('content-type') !== 'image/webp') return null
  const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * 3
  return [...data.subarray(at, at + 3)]
}

const processesIn = (named: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      } catch {
        return ''
      }
    })
    .filter((line) => line.includes(named))

const BLUE = [0, 0, 255]
const honest = (n: number) => html(`<title>${n}</title><body style="background:#0000ff">`)
const isNear = (found: number[] | null, wanted: readonly number[]) =>
  Boolean(found?.every((part, n) => Math.abs(part - wanted[n]!) < 40))

beforeAll(
  async () => {
    market = await startMarket({ PREVIEW_SOCKET: socket.path })
    trap = await openTrap()
    const { wallet } = await market.trader()
    const file = join(folder, 'canary.txt')
    writeFileSync(file, 'canary', { mode: 0o644 })
    renderer = await startRenderer(socket.path, {
      tuning: { previewSeconds: SECONDS, previewBrowserMegabytes: 900 },
      TMPDIR: folder,
    })
    const first = await importCollection(market, wallet, [honest(-1)])
    expect((await ends(first.ids)).get(first.ids[0]!)?.state).toBe('done')
    const [row] = await market.sql<{ key: string }[]>`
    select encode(content_key, 'hex') as key from previewed_inscriptions where inscription_id = ${first.ids[0]!}`
    scene = { trap: trap.url, udpPort: trap.udpPort, file, honestKey: row!.key, honestId: first.ids[0]! }
    const { ids } = await importCollection(
      market,
      wallet,
      attacks.flatMap((attack, n) => [attack.piece(scene), honest(n)]),
    )
    attackIds = ids.filter((_, n) => n % 2 === 0)
    honestIds = ids.filter((_, n) => n % 2 === 1)
    await ends(ids)
  },
  isThorough ? 1_800_000 : 400_000,
)

afterAll(async () => {
  await renderer?.stop()
  await trap?.close()
  await market?.stop()
  socket.remove()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(Object.entries(FAMILIES))('%s', (_, family) => {
  it.each(family.filter((attack) => attacks.includes(attack)))('$name', async (attack) => {
    const n = attacks.indexOf(attack)
    const attacked = (await ends([attackIds[n]!])).get(attackIds[n]!)!
    const colour = await colourOf(attackIds[n]!)
    if (attack.end === 'fails') expect(attacked.state, attacked.failure ?? '').not.toBe('done')
    expect(isNear(colour, [255, 0, 0]), 'the attack reached something').toBe(false)
    const after = (await ends([honestIds[n]!])).get(honestIds[n]!)
    expect(after, 'the next honest item').toMatchObject({ state: 'done', attempts: 1, failure: null })
    expect(isNear(await colourOf(honestIds[n]!), BLUE)).toBe(true)
  })
})

it('isolates content from the network and files', async () => {
  expect([...trap.seen]).toEqual([])
  expect(readFileSync(scene.file, 'utf8')).toBe('canary')
  expect(isNear(await colourOf(scene.honestId), BLUE)).toBe(true)
  expect((await fetch(`${market.server.url}/status`)).status).toBe(200)
})

it('leaves no processes or files', async () => {
  expect(renderer.process.exitCode).toBe(null)
  await renderer.stop()
  expect(processesIn(folder)).toEqual([])
  expect(readdirSync(folder)).toEqual(['canary.txt'])
})

describe('honeypot', () => {
  let server: ReturnType<typeof createServer>
  const contents = new Map<string, { contentType?: string | undefined; body: string | Uint8Array }>()
  beforeAll(async () => {
    server = createServer((request, reply) => {
      const found = contents.get(decodeURIComponent(request.url!.slice(1)))
      reply.setHeader('content-type', found?.contentType ?? 'text/plain')
      reply.end(found?.body ?? '')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterAll(() => void server?.close())

  it.each(attacks.filter((attack) => attack.isTrapped))(
    'catches $name in an ordinary browser',
    async (attack) => {
      contents.set(attack.name, attack.piece(scene))
      const profile = mkdtempSync(join(tmpdir(), 'ordbook-ordinary-'))
      const isRoot = process.getuid?.() === 0
      chmodSync(profile, 0o777)
      const child = spawn(
        'chromium-headless-shell',
        [
          ...['--no-first-run', `--user-data-dir=${profile}/data`, '--timeout=4000', '--dump-dom'],
          ...['--autoplay-policy=no-user-gesture-required', '--disable-popup-blocking'],
          `http://127.0.0.1:${(server.address() as AddressInfo).port}/${encodeURIComponent(attack.name)}`,
        ],
        {
          stdio: 'ignore',
          detached: true,
          env: { PATH: process.env.PATH, HOME: profile },
          ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
        },
      )
      const ended = once(child, 'exit')
      for (let waited = 0; waited < 300 && !trap.seen.has(attack.name); waited++)
        await new Promise((done) => setTimeout(done, 50))
      // Kill the process group, because its processes write to the profile.
      process.kill(-child.pid!, 'SIGKILL')
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
      expect([...trap.seen]).toContain(attack.name)
    },
  )
})
