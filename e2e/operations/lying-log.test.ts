import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { signLogHead } from '@ordbook/bitcoin/log-head.ts'
import { type Mirror, startMirror } from '@ordbook/operations/mirror/mirror.ts'
import type { Reason } from '@ordbook/operations/mirror/upstream.ts'
import { compareLogs, verifyLog } from '@ordbook/operations/order-log/compare.ts'
import { buy, delist } from '@ordbook/sdk/index.ts'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { expectInMetrics, metricsAt } from '../support/faults/fault-places.ts'
import { agreementFor, listAll, setUpMarket, testConfig, until } from '../support/market.ts'
import { LyingLog } from './support/lying-log.ts'

/** Lies about the order log. The mirror must reject each lie with a reason and keep its log. */
const market = setUpMarket()
let told: ConstructorParameters<typeof LyingLog>[0]
/** Number of changes that a mirror has before the lie. */
let half: number
const folders: string[] = []
beforeAll(async () => {
  const seller = await market.trader()
  const buyer = await market.trader('p2wpkh', 20_000_000)
  const { slug, ids } = await market.collection(seller.wallet, 4)
  const listings = await listAll(market, seller, slug, ids, 90_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  await delist(seller, slug, [{ inscriptionId: ids[1]!, listingId: listings.get(ids[1]!)! }])
  const { context } = market.server
  const network = context.config.chain
  const text = await until('the whole log', async () => {
    const [row] = await market.sql<{ count: number; position: number }[]>`
      select (select count(*) from order_log_queue) as count, (select position from order_log_head) as position`
    const body = await (await fetch(`${market.server.url}/order-log`)).text()
    return row!.count === 0 && body.split('\n').length - 1 === row!.position && row!.position >= 8
      ? body
      : null
  })
  told = {
    network,
    market: bytesToHex(context.market.cosignKey),
    lines: text.trimEnd().split('\n'),
    sign: async (head) => bytesToHex(await context.signer.signLogHead(head)),
  }
  half = Math.floor(told.lines.length / 2)
})
const running: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of running.splice(0).reverse()) await each.stop()
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-mirror-'))
  folders.push(folder)
  return folder
}

async function mirrorOf(
  url: string,
  folder = newFolder(),
  more: Partial<Parameters<typeof startMirror>[1]> = {},
) {
  const mirror = await startMirror(testConfig(), {
    url,
    folder,
    market: null,
    mostBytes: 1e9,
    log: pino({ level: 'silent' }),
    now: new Date(),
    pollMilliseconds: 20,
    pauseMilliseconds: { least: 20, most: 50 },
    patience: 1500,
    ...more,
  })
  const entry = { stop: () => mirror.close() }
  running.push(entry)
  return Object.assign(mirror, {
    folder,
    async end() {
      running.splice(running.indexOf(entry), 1)
      await mirror.close()
    },
  })
}

const logOf = async (shown: number) => {
  const log = await new LyingLog(told, shown).start()
  running.push(log)
  return log
}

const linesIn = (folder: string) =>
  readFileSync(join(folder, 'log.jsonl'), 'utf8').trimEnd().split('\n').slice(1)
const has = (mirror: Mirror, position: number) =>
  until(`${position} changes`, async () => mirror.copy.signed?.position === position)

const json = (response: ServerResponse, value: object) => response.end(JSON.stringify(value))
const NONSENSE = { kind: 'payout', id: 'x' }
const loggedChange = () => JSON.parse(told.lines.at(-1)!).change as object
const BOMB = gzipSync(Buffer.alloc(200_000_000, 32))
const stranger = sha256(new TextEncoder().encode('stranger'))

const LIES: [
  name: string,
  reason: Reason | 'away',
  lie: (log: LyingLog) => LyingLog['lie'] | Promise<LyingLog['lie']>,
][] = [
  [
    'alters an amount',
    'line',
    (log) => (_, out, after) => after !== null && out.end(log.page(after).replace('"at":"2', '"at":"3')),
  ],
  [
    'alters the last change',
    'history',
    (log) => (_, out, after) => {
      if (after === null) return false
      const lines = log.page(after).trimEnd().split('\n')
      out.end(
        lines
          .with(-1, lines.at(-1)!.replace('"at":"2', '"at":"3'))
          .map((line) => `${line}\n`)
          .join(''),
      )
    },
  ],
  [
    'omits a change',
    'line',
    (log) => (_, out, after) =>
      after !== null && out.end(log.page(after).split('\n').toSpliced(1, 1).join('\n')),
  ],
  [
    'swaps two changes',
    'line',
    (log) => (_, out, after) => {
      if (after === null) return false
      const lines = log.page(after).split('\n')
      out.end(lines.toSpliced(0, 2, lines[1]!, lines[0]!).join('\n'))
    },
  ],
  ['repeats changes', 'line', (log) => (_, out, after) => after !== null && out.end(log.page(0))],
  [
    'truncates a line',
    'line',
    (log) => (_, out, after) => after !== null && out.end(log.page(after).slice(0, -40)),
  ],
  [
    'disconnects in the middle of a page',
    'away',
    (log) => (_, out, after) => {
      if (after === null) return false
      out.writeHead(200, { 'content-length': log.page(after).length })
      out.write(log.page(after).slice(0, 100), () => out.destroy())
    },
  ],
  [
    'sends one byte at a time',
    'away',
    (log) => (_, out, after) => {
      if (after === null) return false
      const timer = setInterval(() => out.write(log.page(after).slice(0, 1)), 50)
      out.once('close', () => clearInterval(timer))
    },
  ],
  ['never responds', 'away', () => (_request, _out, after) => after !== null],
  [
    'sends a decompression bomb',
    'too-large',
    () => (_, out, after) => after !== null && out.setHeader('content-encoding', 'gzip').end(BOMB),
  ],
  [
    'sends an endless response',
    'too-large',
    () => (_, out, after) => {
      if (after === null) return false
      const more = () => {
        while (!out.destroyed && out.write(Buffer.alloc(100_000, 32)));
        if (!out.destroyed) out.once('drain', more)
      }
      more()
    },
  ],
  [
    'sends a line that is too long',
    'too-large',
    () => (_, out, after) => after !== null && out.end(`{"change":"${'a'.repeat(5_000_000)}"}\n`),
  ],
  ['sends invalid JSON', 'line', () => (_, out, after) => after !== null && out.end('hello\n')],
  [
    'sends deeply nested JSON',
    'line',
    (log) => (_, out, after) =>
      after !== null &&
      out.end(
        `{"change":{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}},"position":${after + 1},"previous":"${JSON.parse(log.lines[after]!).previous}"}\n`,
      ),
  ],
  [
    'formats a change differently',
    'line',
    (log) => (_, out, after) =>
      after !== null && out.end(log.page(after).replace('{"change":', '{ "change":')),
  ],
  [
    'signs an unknown change',
    'line',
    (log) => {
      log.lines = log.retold(half, [NONSENSE])
      log.shown = half + 1
      return () => false
    },
  ],
  [
    'signs text that a database cannot store',
    'line',
    (log) => {
      log.lines = log.retold(half, [{ ...loggedChange(), reason: 'a\ud800' }])
      log.shown = half + 1
      return () => false
    },
  ],
  ['sends no changes', 'empty', () => (_, out, after) => after !== null && out.end()],
  [
    'redirects',
    'redirect',
    (log) => (_, out) => out.writeHead(302, { location: `${log.url}/elsewhere` }).end(),
  ],
  [
    'uses an encoding that was not requested',
    'encoding',
    () => (_, out) => out.setHeader('content-encoding', 'br').end('x'),
  ],
  [
    'sends invalid gzip data',
    'encoding',
    () => (_, out) => out.setHeader('content-encoding', 'gzip').end('nonsense'),
  ],
  ['sends an incomplete head', 'head', () => (_, out, after) => after === null && out.end('{"head":')],
  [
    'sends a signature of another key',
    'signature',
    (log) => async (_, out, after) => {
      if (after !== null) return false
      const { network } = told
      const [position, hash] = [log.shown, 'ab'.repeat(32)]
      const signature = bytesToHex(signLogHead({ network, position, hash }, stranger))
      json(out, { network, market: told.market, head: { position, hash, signature } })
    },
  ],
  [
    'has the key of another market',
    'market',
    (log) => async (_, out, after) =>
      after === null && json(out, { ...(await log.head()), market: 'cd'.repeat(32) }),
  ],
  [
    'is on another network',
    'market',
    (log) => async (_, out, after) =>
      after === null && json(out, { ...(await log.head()), network: 'signet' }),
  ],
  [
    'signs an older head',
    'older',
    (log) => async (_, out, after) => after === null && json(out, await log.head(half - 1)),
  ],
  [
    'signs an empty log',
    'older',
    (log) => async (_, out, after) => after === null && json(out, await log.head(0)),
  ],
  [
    'sends a consistent history that it did not sign',
    'line',
    (log) => {
      // An attacker's changes after an altered line, with the market's signed head.
      const other = log.retold(half - 1, told.lines.slice(half - 1).map(loggedChange))
      return (_, out, after) =>
        after !== null &&
        out.end(
          other
            .slice(after)
            .map((line) => `${line}\n`)
            .join(''),
        )
    },
  ],
  [
    'adds changes that it did not sign',
    'history',
    (log) => {
      const other = log.retold(half, told.lines.slice(half).map(loggedChange))
      return (_, out, after) =>
        after !== null &&
        out.end(
          other
            .slice(after)
            .map((line) => `${line}\n`)
            .join(''),
        )
    },
  ],
]

it.each(LIES)('rejects a market that %s', async (_name, reason, makeLie) => {
  const log = await logOf(half)
  const mirror = await mirrorOf(log.url)
  await has(mirror, half)
  log.shown = told.lines.length
  log.lie = await makeLie(log)
  const isRejected = () =>
    reason === 'away' ? mirror.state.trouble !== null : (mirror.state.refusals.get(reason) ?? 0) > 1
  await until(`${reason}: ${mirror.state.trouble}`, async () => isRejected())
  expect(mirror.state.stopped).toBeNull()
  expect(mirror.copy.signed?.position).toBe(half)
  expect(linesIn(mirror.folder).slice(0, half)).toEqual(told.lines.slice(0, half))
  expect(await (await fetch(`${mirror.url}/order-log`)).text()).toBe(
    `${told.lines.slice(0, half).join('\n')}\n`,
  )

  log.lines = told.lines
  log.shown = told.lines.length
  log.lie = () => false
  await has(mirror, told.lines.length)
  expect(linesIn(mirror.folder)).toEqual(told.lines)
})

it('stops at a market that signs two histories', async () => {
  const log = await logOf(half + 1)
  const mirror = await mirrorOf(log.url)
  await has(mirror, half + 1)
  const other = await logOf(half + 3)
  other.lines = other.retold(half, [loggedChange(), loggedChange(), loggedChange()])
  const victim = await mirrorOf(other.url)
  await has(victim, half + 3)

  log.lines = other.lines
  log.shown = half + 3
  await until('the mirror to stop', async () => mirror.state.stopped !== null)
  expect(linesIn(mirror.folder)).toEqual(told.lines.slice(0, half + 1))
  const proof = JSON.parse(readFileSync(join(mirror.folder, 'fork.json'), 'utf8'))
  expect(proof).toMatchObject({ copied: { position: half + 1 }, shownNow: { position: half + 3 } })
  expect(readFileSync(join(mirror.folder, 'fork.jsonl'), 'utf8')).toBe(
    `${other.lines.slice(half + 1).join('\n')}\n`,
  )
  const ready = await fetch(`${mirror.url}/readyz`)
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('two histories')])
  await expectInMetrics(['mirror-stopped'], metricsAt(mirror.url))
  expect((await (await fetch(`${mirror.url}/order-log`)).text()).trimEnd().split('\n')).toEqual(
    told.lines.slice(0, half + 1),
  )
  await mirror.end()
  log.lines = told.lines
  log.shown = told.lines.length
  const restarted = await mirrorOf(log.url, mirror.folder)
  expect(restarted.state.stopped).toContain('contradict each other')
  expect(await compareLogs(mirror.folder, victim.folder)).toMatchObject({
    alike: half,
    more: { ours: 1, theirs: 3 },
    signed: { ours: { position: half + 1 }, theirs: { position: half + 3 } },
    isTwoFaced: true,
  })
})

it('stops at a different head for a stored change', async () => {
  const log = await logOf(half + 1)
  const mirror = await mirrorOf(log.url)
  await has(mirror, half + 1)
  log.lines = log.retold(half, [loggedChange()])
  await until('the mirror to stop', async () => mirror.state.stopped !== null)
  expect(linesIn(mirror.folder)).toEqual(told.lines.slice(0, half + 1))
})

it('accepts only a market with the configured key', async () => {
  const log = await logOf(half)
  await expect(mirrorOf(log.url, newFolder(), { market: 'cd'.repeat(32) })).rejects.toThrow('is the market')
  await has(await mirrorOf(log.url, newFolder(), { market: told.market }), half)
  await expect(mirrorOf('ftp://market.example')).rejects.toThrow('expected the base URL')
})

it('enforces its size limit', async () => {
  const log = await logOf(half)
  const mirror = await mirrorOf(log.url)
  await has(mirror, half)
  const mostBytes = mirror.copy.size + 10
  await mirror.end()
  const bounded = await mirrorOf(log.url, mirror.folder, { mostBytes })
  log.shown = told.lines.length
  await until('the size limit', async () => bounded.state.trouble?.includes('would be larger'))
  expect(linesIn(mirror.folder)).toEqual(told.lines.slice(0, half))
})

it('removes a partial line after a kill', async () => {
  const log = await logOf(half)
  const mirror = await mirrorOf(log.url)
  await has(mirror, half)
  await mirror.end()
  const file = join(mirror.folder, 'log.jsonl')
  const contents = readFileSync(file, 'utf8')
  log.shown = told.lines.length
  for (const tail of [
    `${told.lines[half]!.slice(0, 30)}`,
    `${told.lines[half]}\n{"change"`,
    '\0\0\0\n\0',
    `${told.lines[half]}\n`,
  ]) {
    writeFileSync(file, `${contents}${tail}`)
    const restarted = await mirrorOf(log.url, mirror.folder)
    await has(restarted, told.lines.length)
    expect(linesIn(mirror.folder)).toEqual(told.lines)
    expect(await verifyLog(mirror.folder)).toMatchObject({ changes: told.lines.length })
    await restarted.end()
    rmSync(join(mirror.folder, 'head.json'))
  }
  writeFileSync(file, contents)
  const signed = await mirrorOf(log.url, mirror.folder)
  await has(signed, told.lines.length)
  await signed.end()
  const good = readFileSync(file, 'utf8')
  for (const damaged of [good.replace('"at":"2', '"at":"3'), good.slice(0, -200)]) {
    writeFileSync(file, damaged)
    await expect(mirrorOf(log.url, mirror.folder)).rejects.toThrow('restart the mirror')
    await expect(verifyLog(mirror.folder)).rejects.toThrow('not a complete order log')
  }
  writeFileSync(file, good)
  const other = await logOf(half)
  const first = await mirrorOf(other.url, mirror.folder).catch((error: Error) => error)
  expect(first).not.toBeInstanceOf(Error)
  await expect(mirrorOf(other.url, mirror.folder)).rejects.toThrow('another mirror runs')
})
