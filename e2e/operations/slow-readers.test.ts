import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync, constants } from 'node:zlib'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshWallet, setUpMarket, until } from '../support/market.ts'
import { type ServerProcess, spawnServer } from '../support/server.ts'

/**
 * Clients that request content and never read it. Each bomb decompresses from a few bytes of brotli to 4 MB. Per-client limits are off, so
 * each connection counts as a separate client.
 */
const CLIENTS = 300
const BOMBS = 40

const market = setUpMarket()
let server: ServerProcess
let port: number
let bombs: string[]
/** 4 MB of one byte value, compressed to a few bytes. */
const bombOf = (byte: number) =>
  brotliCompressSync(Buffer.alloc(4_000_000, byte), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
beforeAll(async () => {
  const bodies = Array.from({ length: BOMBS }, (_, n) => bombOf(n))
  const { ordinalsScript } = freshWallet()
  bombs = []
  for (let at = 0; at < BOMBS; at += 5)
    bombs.push(
      ...(await market.regtest.inscribe(
        bodies.slice(at, at + 5).map((body) => ({
          inscription: { contentType: 'text/html', contentEncoding: 'br', body },
          owner: ordinalsScript,
          postageSats: 546,
        })),
      )),
    )
  await market.server.sync()
  port = await freePort()
  server = spawnServer(market, port, {
    ROLES: 'api',
    tuning: { contentMaxPerClient: 1000, contentMaxMegabytesPerClient: 10000 },
  })
  await server.ready()
})
afterAll(() => server?.kill('SIGKILL'))

function residentMegabytes(): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}

function openSockets(): number {
  const folder = `/proc/${server.child.pid}/fd`
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

function askInSilence(id: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write(`GET /content/${id} HTTP/1.1\r\nhost: market\r\n\r\n`)
  return socket
}

const status = () => fetch(`http://127.0.0.1:${port}/status`, { signal: AbortSignal.timeout(15_000) })

/** Returns resident memory in megabytes after a few requests. */
async function quiet(): Promise<number> {
  for (let n = 0; n < 20; n++) await (await status()).text()
  return residentMegabytes()
}

describe.each([
  ['one bomb', 1, 100],
  // Memory for content, plus bodies being decompressed.
  ['forty bombs', BOMBS, 160],
])('%s', (_, kinds, mostMegabytes) => {
  it(`limits the memory of ${CLIENTS} clients that never read`, async () => {
    const before = await quiet()
    const socketsBefore = openSockets()
    const clients = Array.from({ length: CLIENTS }, (_, n) => askInSilence(bombs[n % kinds]!))
    let most = 0
    const waits: number[] = []
    await until('all connections', async () => openSockets() >= socketsBefore + CLIENTS * 0.9)
    for (let n = 0; n < 60; n++) {
      const began = performance.now()
      expect((await status()).status).toBe(200)
      waits.push(performance.now() - began)
      most = Math.max(most, residentMegabytes())
      await sleep(100)
    }
    waits.sort((a, b) => a - b)
    console.log(
      `resident ${before.toFixed(0)} MB, with ${CLIENTS} clients at most ${most.toFixed(0)} MB; /status median ${waits[30]!.toFixed(0)} ms, slowest ${waits.at(-1)!.toFixed(0)} ms`,
    )
    expect(most - before).toBeLessThan(mostMegabytes)
    // The server disconnects clients that read nothing.
    for (let waited = 0; openSockets() > socketsBefore + 5; waited++) {
      expect(waited).toBeLessThan(90)
      await sleep(1000)
    }
    for (const client of clients) client.destroy()
    const answer = await fetch(`http://127.0.0.1:${port}/content/${bombs[0]}`)
    expect(answer.status).toBe(200)
    expect((await answer.arrayBuffer()).byteLength).toBe(4_000_000)
  })
})
