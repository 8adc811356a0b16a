import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { verifyLogHead } from '@ordbook/bitcoin/log-head.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { hashOf, startOf } from '@ordbook/operations/order-log/chain.ts'
import { compareLogs } from '@ordbook/operations/order-log/compare.ts'
import { exportLog } from '@ordbook/operations/order-log/export.ts'
import { bid, buy, delist, offer } from '@ordbook/sdk/index.ts'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import {
  agreementFor,
  enter,
  listAll,
  serveAgain,
  setUpMarket,
  type TestTrader,
  until,
} from '../support/market.ts'
import { coinsOf, offering } from '../support/offers.ts'

const port = await freePort()
const market = setUpMarket({ PORT: String(port), ANCHOR_POOL: '80' })
let seller: TestTrader
let buyer: TestTrader
let slug: string
let ids: string[]
const folder = mkdtempSync(join(tmpdir(), 'ordbook-mirror-'))
const fileOf = (name: string) => join(folder, name)
beforeAll(async () => {
  seller = await market.trader()
  buyer = await market.trader('p2wpkh', 40_000_000)
  ;({ slug, ids } = await market.collection(seller.wallet, 3))
})
const children = new Set<ChildProcess>()
// Kill the mirrors of a failed test. Only one mirror can use a directory, so the next test would fail too.
afterEach(() => Promise.all(Array.from(children, (child) => end(child, 'SIGKILL'))))
afterAll(() => rmSync(folder, { recursive: true }))

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  children.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

interface Running {
  url: string
  health: string
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts a mirror and waits until it logs its URL. Throws with its log if it exits first. */
async function runMirror(of: string, into: string): Promise<Running> {
  const health = await freePort()
  const child = spawn(process.execPath, ['scripts/market/order-log.ts', 'mirror', of, into], {
    env: { ...process.env, PORT: '0', HEALTH_PORT: String(health), LOG_LEVEL: 'info', RATE_LIMITS: 'off' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.add(child)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let log = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
      const [, own] = /"url":"(http[^"]+)","of"/.exec(log) ?? []
      if (own) resolve(own)
    })
    void ended.then(() => reject(new Error(`the mirror exited: ${log}`)))
  })
  return {
    url,
    health: `http://127.0.0.1:${health}`,
    kill: (signal) => end(child, signal),
  }
}

const read = async (url: string) => (await fetch(url).catch(() => null)) ?? null
const headOf = async (url: string) => {
  const answer = await read(`${url}/order-log/head`)
  return answer?.ok
    ? ((await answer.json()) as { head: { position: number; hash: string; signature: string } | null }).head
    : null
}

/**
 * Waits until the market has signed its log and the jobs have nothing left to log. The anchor of a cancelled listing is spent and logged
 * some seconds later. Returns the position of the last change.
 */
async function settled(): Promise<number> {
  return until(
    'the signed head to include all changes',
    async () => {
      const [row] = await market.sql<{ waiting: number; last: number; signed: number }[]>`
      select (select count(*) from order_log_queue)
          + (select count(*) from market_coins c join listings l on l.anchor_utxo_id = c.reserved_for
            where c.retired and not exists (select 1 from order_events e
              where e.listing_id = l.listing_id and e.guarantee in ('anchor-spent', 'impossible'))) as waiting,
        (select max(position) from order_log) as last, (select position from order_log_head) as signed`
      return row!.waiting === 0 && row!.signed === row!.last ? row!.last : null
    },
    120,
  )
}
const levelWith = (url: string, position: number) =>
  until(`${position} changes at ${url}`, async () => (await headOf(url))?.position === position, 120)
const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')

async function exportedLines(name: string): Promise<string[]> {
  await exportLog(market.databaseUrl, fileOf(name), new Date())
  return linesOf(fileOf(name)).slice(1, -1)
}

async function trades(): Promise<void> {
  const [bought, withdrawn, wanted] = ids as [string, string, string]
  const listings = await listAll(market, seller, slug, [bought, withdrawn], 100_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [bought]))
  await market.mine()
  await delist(seller, slug, [{ inscriptionId: withdrawn, listingId: listings.get(withdrawn)! }])
  await offer(buyer, slug, await offering(market, buyer, [wanted], 50_000))
}

it('serves its log publicly with a signed head', async () => {
  await trades()
  const last = await settled()
  const { url, context } = market.server
  const exported = await exportedLines('first.jsonl')
  const answer = await fetch(`${url}/order-log`)
  expect(answer.headers.get('cache-control')).toBe('no-cache')
  const text = await answer.text()
  expect(text).toBe(`${exported.join('\n')}\n`)
  let hash = startOf('regtest')
  for (const line of exported) {
    expect(JSON.parse(line).previous).toBe(hash)
    hash = hashOf(line)
  }
  const { head, ...identity } = (await (await fetch(`${url}/order-log/head`)).json()) as any
  expect(identity).toEqual({ network: 'regtest', market: bytesToHex(context.market.cosignKey) })
  expect(head).toMatchObject({ position: last, hash })
  const signed = { network: 'regtest', position: last, hash }
  expect(verifyLogHead(signed, hexToBytes(head.signature), context.market.cosignKey)).toBe(true)

  const some = await fetch(`${url}/order-log?after=3`)
  expect(await some.text()).toBe(`${exported.slice(3).join('\n')}\n`)
  const revalidated = await fetch(`${url}/order-log?after=3`, {
    headers: { 'if-none-match': some.headers.get('etag')! },
  })
  expect(revalidated.status).toBe(304)
  expect(await (await fetch(`${url}/order-log?after=${last}`)).text()).toBe('')
  expect(await (await fetch(`${url}/order-log?after=${last + 1000}`)).text()).toBe('')
  for (const wrong of ['-1', 'x', '1.5', '9007199254740993'])
    expect((await fetch(`${url}/order-log?after=${wrong}`)).status, wrong).toBe(400)
})

it('limits the size of a page', async () => {
  const { url } = market.server
  const before = await settled()
  const insert = (count: number, bytes: number) => market.sql`
    insert into order_log_queue (change) select jsonb_build_object('kind', 'collection-offer', 'id', gen_random_uuid(), 'to', 'active',
      'at', '2026-01-01T00:00:00.000000Z', 'maker', ${'00'.repeat(22)}::text, 'scope', 'All', 'criteria', repeat('y', ${bytes}::int),
      'eligibleRoot', ${'ab'.repeat(32)}::text, 'eligibleCount', 1, 'priceSats', 1000, 'collection', ${slug}::text,
      'collectionName', 'All', 'expiresAt', '2026-01-02T00:00:00.000000Z') from generate_series(1, ${count}::int)`
  await insert(600, 1)
  await insert(300, 2000)
  const last = await settled()
  expect(last).toBe(before + 900)
  let after = 0
  const sizes: number[] = []
  const caches: (string | null)[] = []
  const lines: string[] = []
  for (;;) {
    const page = await fetch(`${url}/order-log?after=${after}`)
    const text = await page.text()
    if (text === '') break
    const pageLines = text.trimEnd().split('\n')
    expect(pageLines.length).toBeLessThanOrEqual(500)
    expect(text.length).toBeLessThanOrEqual(256 * 1024)
    sizes.push(pageLines.length)
    caches.push(page.headers.get('cache-control'))
    lines.push(...pageLines)
    after += pageLines.length
  }
  expect(sizes[0]).toBeGreaterThan(300)
  expect(sizes.length).toBeGreaterThan(4)
  expect(caches.slice(0, -1)).toEqual(sizes.slice(1).map(() => 'public, max-age=31536000, immutable'))
  expect(caches.at(-1)).toBe('no-cache')
  expect(lines).toEqual(await exportedLines('pages.jsonl'))
  // A change larger than a page gets a separate page.
  await insert(1, 300_000)
  await settled()
  expect((await (await fetch(`${url}/order-log?after=${last}`)).text()).length).toBeGreaterThan(300_000)
})

it('rejects a line that was altered in the database', async () => {
  const [{ position }] = (await market.sql`select max(position) - 1 as position from order_log`) as any
  const tamper = (by: string) =>
    market.sql.begin(async (tx) => {
      await tx`alter table order_log disable trigger user`
      await tx`update order_log set change = change || jsonb_build_object('scope', ${by}::text) where position = ${position}`
      await tx`alter table order_log enable trigger user`
    })
  await tamper('Other')
  expect((await fetch(`${market.server.url}/order-log?after=${position - 1}`)).status).toBe(500)
  await tamper('All')
  expect((await fetch(`${market.server.url}/order-log?after=${position - 1}`)).status).toBe(200)
  await expect(market.sql`delete from order_log_hashes`).rejects.toThrow('append-only')
})

it('mirrors a log across kills, restarts and reorgs', async () => {
  const { url } = market.server
  const { slug, ids } = await market.collection(seller.wallet, 3)
  const [repriced, sold, listed] = ids as [string, string, string]
  const [into, further] = [fileOf('mirror'), fileOf('further')]
  let mirror = await runMirror(url, into)
  await levelWith(mirror.url, await settled())
  let second = await runMirror(mirror.url, further)
  await levelWith(second.url, await settled())

  for (let kill = 0; kill < sampled(6, 50, 3); kill++) {
    const price = 60_000 + kill * 1000
    await listAll(market, seller, slug, [repriced], price)
    await new Promise((done) => setTimeout(done, Math.random() * 2500))
    await mirror.kill('SIGKILL')
    // Append a partial line, as after a kill during a write.
    if (kill % 2 === 0) appendFileSync(join(into, 'log.jsonl'), '{"change":{"at":"20')
    mirror = await runMirror(url, into)
  }
  await second.kill('SIGKILL')
  await levelWith(mirror.url, await settled())

  await listAll(market, seller, slug, [sold], 70_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [sold]))
  const [block] = await market.regtest.mine()
  await market.server.sync()
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  await market.regtest.call('generatetoaddress', 2, buyer.wallet.paymentAddress)
  await market.server.sync()
  await market.sql.end()
  await market.server.close()
  await serveAgain(market, market.databaseUrl, { PORT: String(port) })
  seller = await enter(market.base, seller.wallet)
  await listAll(market, seller, slug, [listed], 80_000)
  const last = await settled()
  await levelWith(mirror.url, last)

  const lines = await exportedLines('traded.jsonl')
  const states = lines
    .map((line) => JSON.parse(line).change)
    .filter((change) => change.kind === 'sale' && change.inscriptionId === sold)
  expect(states.map(({ to }) => to)).toEqual(['sold', 'undone', 'sold'])
  expect(linesOf(join(into, 'log.jsonl')).slice(1)).toEqual(lines)

  second = await runMirror(mirror.url, further)
  await levelWith(second.url, last)
  expect(linesOf(join(further, 'log.jsonl')).slice(1)).toEqual(lines)
  expect(await headOf(second.url)).toEqual(await headOf(market.server.url))
  for (const after of [0, 3, 500, last - 1, last]) {
    const path = `/order-log?after=${after}`
    const [ours, theirs] = [await fetch(`${market.server.url}${path}`), await fetch(`${second.url}${path}`)]
    expect(await theirs.text()).toBe(await ours.text())
    expect(theirs.headers.get('cache-control')).toBe(ours.headers.get('cache-control'))
    expect(theirs.headers.get('etag')).toBe(ours.headers.get('etag'))
  }
  expect((await fetch(`${second.url}/order-log?after=x`)).status).toBe(400)

  expect((await fetch(`${second.health}/readyz`)).status).toBe(200)
  const figures = await (await fetch(`${second.health}/metrics`)).text()
  expect(figures).toContain(`ordbook_mirror_position ${last}`)
  expect(figures).toContain('ordbook_mirror_stopped 0')
  expect(figures).toMatch(/ordbook_mirror_lag_seconds \d/)
  expect(await compareLogs(into, fileOf('traded.jsonl'))).toMatchObject({
    alike: last,
    differing: null,
    isTwoFaced: false,
  })
  await mirror.kill('SIGTERM')
  await second.kill('SIGTERM')
}, 300_000)

it('mirrors a bid of maximum length', async () => {
  await market.sql`update collection_items set traits = '[{"type":"Hat","value":"Cap"}]'`
  const values = ['Cap', ...Array.from({ length: 15 }, (_, n) => String.fromCharCode(97 + n).repeat(266))]
  const bidFor = async (type: string) =>
    bid(buyer, slug, {
      target: {
        kind: 'traits',
        traits: [{ type: 'Hat', values }, ...(type ? [{ type, values: ['Cap'] }] : [])],
      },
      priceSats: 20_000,
      coins: await coinsOf(market, buyer),
    })
  await bidFor('')
  await expect(bidFor('Hat')).rejects.toMatchObject({ status: 400, code: 'traits-too-long' })
  const last = await settled()
  const mirror = await runMirror(market.server.url, fileOf('mirror'))
  await levelWith(mirror.url, last)
  expect(readFileSync(join(fileOf('mirror'), 'log.jsonl'), 'utf8')).toContain(values[15])
  await mirror.kill('SIGTERM')
}, 120_000)
