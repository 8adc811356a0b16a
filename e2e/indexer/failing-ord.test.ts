import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { Adopter } from '@ordbook/indexer/adoption/adopt.ts'
import { beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { completeSome } from '@ordbook/indexer/adoption/complete.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { updateSortKeys } from '@ordbook/market/collections/import-queries.ts'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'

/** An ord server that fails for some inscriptions. */
const KNOWN = 300
const idOf = (text: string) => `${createHash('sha256').update(text).digest('hex')}i0`
const knownIds = Array.from({ length: KNOWN }, (_, n) => idOf(`inscription ${n}`))
/** How ord fails, by inscription: a 500, no response or an endless response. */
const failures = new Map<string, 'refuses' | 'hangs' | 'floods'>()

let node: TestNode
let sql: Sql
let folder: string
let standIn: ReturnType<typeof spawn>
let proxy: Server
let url: string
let requests = 0
let reveals = 0
/** Unbound inscriptions of ord. `isIndexing`: ord indexes a block with one at each request. */
const unbound = { ids: [] as string[], isIndexing: false }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-failing-ord-'))
  node = await startNode('devnet')
  await node.regtest.mine(20)
  const hash = await node.regtest.call<string>('getblockhash', 20)
  const path = join(import.meta.dirname, '../support/ord/ord-stand-in.ts')
  standIn = spawn(process.execPath, [path, String(KNOWN), '20', hash], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const standInUrl = String((await once(standIn.stdout!, 'data'))[0]).trim()
  proxy = createServer(async (request, response) => {
    // Do not count the fetch wrapper's requests for the OpenAPI document.
    if (request.url!.startsWith('/r/tx/')) reveals++
    else if (!request.url!.startsWith('/openapi')) requests++
    let body = ''
    for await (const chunk of request) body += chunk
    const failure = [...failures].find(([id]) => body.includes(id))?.[1]
    if (failure === 'hangs') return
    if (failure === 'refuses')
      return void response.writeHead(500, { 'content-type': 'text/plain' }).end('failed')
    if (failure === 'floods') {
      const flood = Buffer.alloc(2 ** 20, ' ')
      response.writeHead(200, { 'content-type': 'application/json' })
      const pour = () => {
        while (!response.destroyed && response.write(flood)) {}
      }
      response.on('drain', pour)
      pour()
      return
    }
    if (request.url === `/r/utxo/${'0'.repeat(64)}:0` && unbound.ids.length > 0) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(
        JSON.stringify({ inscriptions: unbound.ids, runes: null, sat_ranges: null, value: 0 }),
      )
    }
    const answer = await fetch(`${standInUrl}${request.url}`, body ? { method: 'POST', body } : {})
    const type = answer.headers.get('content-type') ?? 'text/plain'
    let text = await answer.text()
    if (request.url === '/status' && unbound.isIndexing)
      text = JSON.stringify({ ...JSON.parse(text), inscriptions: KNOWN + requests })
    response.writeHead(answer.status, { 'content-type': type }).end(text)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  standIn.kill()
  await sql?.end()
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function adopterOf(ids: readonly string[], milliseconds: number): Promise<Adopter> {
  await sql?.end()
  sql = connect(await freshDatabase(), { max: 2 })
  await migrate(sql)
  const source = new CoreSource(node.url)
  const ord = new Ord(url).within({ milliseconds })
  const base = await beginAtOrd(sql, source, ord)
  const slug = 'some'
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
  const items = ids.map((id, n) => ({ id, meta: { name: `Piece ${n}`, attributes: [] } }))
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(sql, folder, { now: new Date() })
  return new Adopter(sql, source, ord, base, updateSortKeys)
}
const adopted = async () =>
  (await sql<{ inscriptionId: string }[]>`select inscription_id from inscription_rows`).map(
    (row) => row.inscriptionId,
  )
const signal = new AbortController().signal

it('continues the count of unbound inscriptions of ord', async () => {
  const countOf = async () => {
    await adopterOf([], 30_000)
    const [block] = await sql<{ unboundCount: number }[]>`select unbound_count from blocks`
    return block!.unboundCount
  }
  expect(await countOf()).toBe(0)
  unbound.ids = [idOf('unbound 1'), idOf('unbound 2'), idOf('unbound 3')]
  expect(await countOf()).toBe(3)
  unbound.isIndexing = true
  await expect(countOf()).rejects.toThrow(/still indexing blocks/)
  unbound.isIndexing = false
})

it('delays repeated requests for a missing inscription', async () => {
  const missing = [idOf('missing 1'), idOf('missing 2'), idOf('missing 3')]
  const adopter = await adopterOf([...knownIds, ...missing], 30_000)
  requests = 0
  expect(await adopter.adoptUnseen(60_000, signal)).toBe(false)
  expect((await adopted()).sort()).toEqual(knownIds.toSorted())
  // 5 for heights and hashes, 4 for inscriptions plus two per missing one, 3 for outputs.
  expect(requests).toBeLessThanOrEqual(18)
  expect(reveals).toBe(KNOWN)
  requests = 0
  expect(await adopter.adoptUnseen(60_000, signal)).toBe(false)
  expect(requests).toBe(0)
}, 120_000)

it.each([
  ['refuses', 30_000],
  ['hangs', 300],
  ['floods', 30_000],
] as const)(
  'adopts all other inscriptions if ord %s for one',
  async (how, milliseconds) => {
    const adopter = await adopterOf(knownIds, milliseconds)
    failures.set(knownIds[7]!, how)
    let turns = 0
    while (await adopter.adoptUnseen(60_000, signal).catch(() => true)) expect(turns++).toBeLessThan(20)
    expect((await adopted()).sort()).toEqual(knownIds.filter((_, n) => n !== 7).toSorted())
    failures.clear()
  },
  120_000,
)

it('keeps the claims of inscriptions that ord does not know yet', async () => {
  const adopter = await adopterOf([], 30_000)
  const claim = async (sequence: number, id: string, claimsParents: boolean, tries: number) => {
    await sql`
      insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
        unbound, reinscription, parent_ids, delegate_id, sat_id)
      values (${sequence}, ${id}, ${sequence}, 20, now(), false, false, false, false, '{}', ${knownIds[2]!}, 0)`
    await sql`
      insert into incomplete_inscriptions (sequence, claims_parents, tries) values (${sequence}, ${claimsParents}, ${tries})`
  }
  await claim(1000, knownIds[1]!, false, 0)
  await claim(1001, idOf('not yet known'), true, 0)
  await claim(1002, idOf('never known'), false, 0)
  const queue = async () =>
    (
      await sql<{ sequence: number; tries: number }[]>`
      select sequence, tries from incomplete_inscriptions order by sequence`
    ).map((row) => [row.sequence, row.tries])
  const ord = new Ord(url)
  expect(await completeSome(sql, ord, adopter, async () => {})).toBe(1)
  expect(await queue()).toEqual([
    [1001, 1],
    [1002, 1],
  ])
  for (let n = 0; n < 4; n++) await completeSome(sql, ord, adopter, async () => {})
  expect(await queue()).toEqual([[1001, 5]])
  // The delegate was adopted with them.
  expect(await adopted()).toContain(knownIds[2])
}, 120_000)

it('stores nothing from an ord server on another branch', async () => {
  const adopter = await adopterOf(knownIds, 30_000)
  await node.regtest.call('invalidateblock', await node.regtest.call('getblockhash', 20))
  // At the same time, the block would be identical.
  await node.regtest.call('setmocktime', Math.floor(Date.now() / 1000) + 3600)
  await node.regtest.mine()
  expect(await adopter.adoptUnseen(60_000, signal)).toBe(false)
  expect(await adopted()).toEqual([])
}, 120_000)
