import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { residentBytes } from '@ordbook/previews/memory.ts'
import { startEmbedded } from '@ordbook/server/db/embedded.ts'
import { countPreviews, listFailures } from '@ordbook/server/previews/report-queries.ts'
import sharp from 'sharp'
import { freshWallet, startMarket } from '../../e2e/support/market.ts'
import { everyKind } from '../../e2e/support/pieces.ts'
import { importCollection, type Piece } from '../../e2e/support/preview-collection.ts'
import { socketFolder, startRenderer } from '../../e2e/support/renderer.ts'
import { readCommand } from '../command.ts'

readCommand('usage: npm run bench:previews', {})

/**
 * `npm run bench:previews`: a renderer alone with BENCH_PIECES pieces of a market, default 10,000: nine tenths pictures and texts, the
 * rest pages, drawings, sounds, videos and solid bodies. Prints the rate, the failures, the most memory that the renderer and the
 * market (with the chain in its process) held, and the load of the machine meanwhile.
 */
const PIECES = Number(process.env.BENCH_PIECES ?? 10_000)
const AT_ONCE = 500
const LONGEST_MILLISECONDS = 4 * 3_600_000

const sleep = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds))
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

/** The bytes of a piece with others at its end, which no player reads. */
const another = (piece: Piece): Piece => ({
  ...piece,
  body: Buffer.concat([Buffer.from(piece.body), randomBytes(8)]),
})

function other(n: number): Piece {
  const colour = `#${randomBytes(3).toString('hex')}`
  if (n % 100 === 0) return another(video!)
  if (n % 100 === 10) return another(sound!)
  if (n % 100 === 20) return { ...body!, body: Buffer.from(body!.body) }
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

const pieceOf = async (n: number): Promise<Piece> =>
  n % 10 === 0
    ? other(n)
    : n % 2 === 0
      ? picture(n)
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

const folder = mkdtempSync(join(tmpdir(), 'ordbook-bench-'))
const postgres = await startEmbedded(folder)
const socket = socketFolder()
const market = await startMarket({ PREVIEW_SOCKET: socket.path }, 'devnet', { databaseUrl: postgres.url })
try {
  const wallet = freshWallet()
  for (let at = 0; at < PIECES; at += AT_ONCE)
    await importCollection(
      market,
      wallet,
      await Promise.all(Array.from({ length: Math.min(AT_ONCE, PIECES - at) }, (_, n) => pieceOf(at + n))),
    )
  const renderer = await startRenderer(socket.path, { LOG_LEVEL: 'warn' })
  const began = performance.now()
  let most = { renderer: 0, market: 0 }
  const loads: number[] = []
  let counts = await countPreviews(market.sql)
  const sum = (state: string) =>
    counts.filter((each) => each.state === state).reduce((total, { count }) => total + count, 0)
  for (let said = 0; performance.now() - began < LONGEST_MILLISECONDS; await sleep(500)) {
    most = {
      renderer: Math.max(most.renderer, residentBytes(below(renderer.process.pid!))),
      market: Math.max(most.market, process.memoryUsage.rss()),
    }
    loads.push(loadavg()[0]!)
    counts = await countPreviews(market.sql)
    const [covered] = await market.sql<
      { count: number }[]
    >`select count(*) as count from previewed_inscriptions`
    if (covered!.count >= PIECES && sum('waiting') === 0) break
    if (performance.now() - said < 30_000) continue
    said = performance.now()
    console.log(
      `${Math.round((said - began) / 1000)} s: ${sum('done')} done, ${sum('waiting')} wait, ${sum('failed')} failed; at most ${megabytes(most.renderer)} and ${megabytes(most.market)} MB, load ${loads.at(-1)!.toFixed(1)}`,
    )
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${sum('done')} done, ${sum('failed')} failed, ${sum('waiting')} wait after ${Math.round(seconds)} s: ${(sum('done') / seconds).toFixed(1)} pieces/s; at most ${megabytes(most.renderer)} MB in the renderer's processes, ${megabytes(most.market)} MB in the market's; load ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}, on average ${(loads.reduce((a, b) => a + b, 0) / loads.length).toFixed(1)}`,
  )
  for (const { kind, failure, count } of await listFailures(market.sql, 10))
    console.log(`  ${count} ${kind}: ${failure}`)
  await renderer.stop()
} finally {
  await market.stop()
  await postgres.stop()
  socket.remove()
  rmSync(folder, { recursive: true, force: true })
}
