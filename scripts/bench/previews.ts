import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { usageOf } from '@ordbook/previews/usage.ts'
import { countPreviews, listFailures, type PreviewCount } from '@ordbook/site/thumbnails/report-queries.ts'
import sharp from 'sharp'
import { importCollection, type Piece } from '../../e2e/previews/support/collection.ts'
import { everyKind } from '../../e2e/previews/support/pieces.ts'
import { socketFolder, startRenderer } from '../../e2e/previews/support/renderer.ts'
import { freshWallet, startMarket, type TestMarket } from '../../e2e/support/market.ts'
import { readCommand } from '../command.ts'

readCommand('usage: npm run bench:previews', {})

/**
 * `npm run bench:previews`: a renderer alone with BENCH_PIECES pieces of a market, default 10,000: nine tenths pictures and texts, the
 * rest pages, drawings, sounds, videos and solid bodies. Prints the progress each minute, at last the rate, the failures, the most memory
 * that the renderer and the market (with the chain in its process) held, and the load of the machine meanwhile. A signal ends it
 * with the report of what it reached.
 */
const PIECES = Number(process.env.BENCH_PIECES ?? 10_000)
const AT_ONCE = 500
const LOOK_MILLISECONDS = 2000
const SAY_MILLISECONDS = 60_000

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)

const { 'a video': video, 'a sound': sound, 'a solid body': body } = await everyKind()

async function picture(n: number): Promise<Piece> {
  const side = n % 3 === 0 ? 24 : 64
  const pixels = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
  // Squares as PNG, about 36 kB; soft shapes as JPEG, about 125 kB.
  if (n % 3 > 0)
    pixels.resize(400 + 400 * (n % 3), 900, { fit: 'fill', kernel: n % 3 === 1 ? 'nearest' : 'cubic' })
  return n % 3 === 2
    ? { contentType: 'image/jpeg', body: await pixels.jpeg({ quality: 70 }).toBuffer() }
    : { contentType: 'image/png', body: await pixels.png().toBuffer() }
}

const pictures = await Promise.all(Array.from({ length: 60 }, (_, n) => picture(n)))

/** The bytes of a piece with others at its end, which no decoder and no player reads. */
const another = (piece: Piece): Piece => ({
  ...piece,
  body: Buffer.concat([Buffer.from(piece.body), randomBytes(8)]),
})

function other(n: number): Piece {
  const colour = `#${randomBytes(3).toString('hex')}`
  if (n % 100 === 0) return another(video!)
  if (n % 100 === 10) return another(sound!)
  if (n % 100 === 20) return another(body!)
  return n % 20 < 10
    ? {
        contentType: 'image/svg+xml',
        body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="${colour}"/></svg>`,
      }
    : {
        contentType: 'text/html',
        body: `<body style="background:${colour}"><script>document.body.append(${n})</script>`,
      }
}

const pieceOf = (n: number): Piece =>
  n % 10 === 0
    ? other(n)
    : n % 2 === 0
      ? another(pictures[n % pictures.length]!)
      : { contentType: 'text/plain', body: `{"p":"brc-20","op":"mint","tick":"bench","n":"${n}"}` }

/** Processes below one, in any depth. */
function below(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number)
    return [pid, ...children.flatMap(below)]
  } catch {
    return []
  }
}

const since = (began: number) => Math.round((performance.now() - began) / 1000)

/** The cost of the rendering so far. */
class Figures {
  private readonly began = performance.now()
  private readonly before = usageOf(below(process.pid)).milliseconds
  /** The most memory, in bytes. */
  private renderer = 0
  private market = 0
  /** Processor time, in milliseconds: of all processes with the database, and of the renderer's among them. */
  private allTime = 0
  private rendererTime = 0
  private loads: number[] = []
  private counts: PreviewCount[] = []

  async look(sql: Sql, rendererPid: number): Promise<void> {
    const { bytes, milliseconds } = usageOf(below(rendererPid))
    this.renderer = Math.max(this.renderer, bytes)
    this.rendererTime = Math.max(this.rendererTime, milliseconds)
    this.allTime = Math.max(this.allTime, usageOf(below(process.pid)).milliseconds - this.before)
    this.market = Math.max(this.market, process.memoryUsage.rss())
    this.loads.push(loadavg()[0]!)
    this.counts = await countPreviews(sql)
  }

  count(state: string): number {
    return this.counts.filter((each) => each.state === state).reduce((sum, { count }) => sum + count, 0)
  }

  toString(): string {
    const seconds = since(this.began)
    const each = (milliseconds: number) => Math.round(milliseconds / Math.max(this.count('done'), 1))
    const load = this.loads.reduce((sum, one) => sum + one, 0) / this.loads.length
    const kinds = this.counts.map(({ state, kind, count }) => `${count} ${kind} ${state}`)
    return [
      `${seconds} s: ${this.count('done')} done, ${this.count('waiting')} wait, ${this.count('failed')} failed`,
      `${(this.count('done') / Math.max(seconds, 1)).toFixed(1)} pieces/s`,
      `at most ${megabytes(this.renderer)} MB in the renderer's processes and ${megabytes(this.market)} MB in the market's`,
      `${each(this.rendererTime)} ms of a processor for a piece in the renderer's, ${each(this.allTime - this.rendererTime)} ms in the others`,
      `load ${Math.min(...this.loads).toFixed(1)} to ${Math.max(...this.loads).toFixed(1)}, on average ${load.toFixed(1)}`,
      kinds.join(', '),
    ].join('; ')
  }
}

/** Renders all pieces, or those that it comes to before a signal. */
async function renderAll(market: TestMarket, socketPath: string): Promise<void> {
  const renderer = await startRenderer(socketPath, { LOG_LEVEL: 'warn' })
  const figures = new Figures()
  let isEnd = false
  for (let said = performance.now(); !isEnd && !stopping.aborted; ) {
    await sleep(LOOK_MILLISECONDS, undefined, { signal: stopping }).catch(() => {})
    await figures.look(market.sql, renderer.process.pid!)
    const [covered] = await market.sql<
      { count: number }[]
    >`select count(*) as count from previewed_inscriptions`
    isEnd = covered!.count >= PIECES && figures.count('waiting') === 0
    if (performance.now() - said < SAY_MILLISECONDS) continue
    said = performance.now()
    console.log(`${figures}`)
  }
  console.log(`${isEnd ? 'the queue is empty' : 'stopped before the end'} after ${figures}`)
  for (const { kind, failure, count } of await listFailures(market.sql, 10))
    console.log(`  ${count} ${kind}: ${failure}`)
  await renderer.stop()
}

const signals = new AbortController()
const stopping = signals.signal
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => signals.abort())
const folder = mkdtempSync(join(tmpdir(), 'ordbook-bench-'))
const postgres = await startEmbedded(folder)
const socket = socketFolder()
const market = await startMarket({ PREVIEW_SOCKET: socket.path }, 'devnet', { databaseUrl: postgres.url })
try {
  const wallet = freshWallet()
  const began = performance.now()
  for (let at = 0; at < PIECES && !stopping.aborted; at += AT_ONCE) {
    const count = Math.min(AT_ONCE, PIECES - at)
    await importCollection(
      market,
      wallet,
      Array.from({ length: count }, (_, n) => pieceOf(at + n)),
    )
    console.log(`${since(began)} s: ${at + count} pieces inscribed and imported`)
  }
  await renderAll(market, socket.path)
} finally {
  await market.stop()
  await postgres.stop()
  socket.remove()
  rmSync(folder, { recursive: true, force: true })
}
