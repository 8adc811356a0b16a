import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '@ordbook/app/server.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getStatus } from '@ordbook/contract/record.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { beginAtNode } from '@ordbook/indexer/adoption/begin.ts'
import { type ReadProgress, readRareSats } from '@ordbook/indexer/adoption/rare-sats.ts'
import { findUnknown } from '@ordbook/indexer/adoption/unknown-queries.ts'
import { BlockReader, THREAD_NAME } from '@ordbook/indexer/blocks/block-reader.ts'
import { followChain, NO_CONSUMERS } from '@ordbook/indexer/follow.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { expect, it, onTestFinished } from 'vitest'
import { freshDatabase, setUpMarket, testConfig } from '../support/market.ts'

const market = setUpMarket()

/** Tries to begin a new index. Returns the height, or the message of the refusal, which must have written nothing. */
async function begin(options: { chain?: string; at?: number; url?: string }): Promise<number | string> {
  const sql = connect(await freshDatabase(), { max: 1 })
  try {
    await migrate(sql)
    const node = new CoreSource(options.url ?? market.node.url)
    const began = await beginAtNode(sql, node, { chain: 'regtest', ...options }).catch(
      (error: Error) => error.message,
    )
    expect((await findTip(sql))?.height ?? null).toBe(typeof began === 'number' ? began : null)
    if (typeof began === 'number')
      await expect(beginAtNode(sql, node, { chain: 'regtest', ...options })).rejects.toThrow(
        'The index already has blocks.',
      )
    return began
  } finally {
    await sql.end()
  }
}

/** Forwards calls to the node, except REST. Returns its URL. */
async function withoutRest(): Promise<string> {
  const { origin, username, password } = new URL(market.node.url)
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(404).end()
    const body = Buffer.concat(await Array.fromAsync(request))
    const headers = { authorization: request.headers.authorization! }
    const answer = await fetch(origin, { method: 'POST', body, headers })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://${username}:${password}@127.0.0.1:${port}`
}

it('begins before the first inscription, and not after it', async () => {
  const { wallet } = await market.trader()
  const { ids } = await market.collection(wallet, 1)
  await market.mine()
  await market.server.sync()
  const [row] = await market.sql<{ height: number }[]>`
    select min(height) as height from inscription_rows`
  const { height } = row!
  expect(await begin({ at: height })).toBe(height - 1)
  expect(await begin({ at: height + 1 })).toMatch(
    new RegExp(`^Block ${height} has an inscription \\(${ids[0]!.slice(0, 64)}i0\\)`),
  )
})

it('refuses a node that cannot serve all blocks', async () => {
  const tip = await market.regtest.call<number>('getblockcount')
  expect(await begin({ at: tip + 1 })).toBe(`The node has ${tip} blocks. Wait until it has block ${tip + 1}.`)
  expect(await begin({ at: 1, url: await withoutRest() })).toMatch(
    /^The node does not serve blocks .* by REST/,
  )
  expect(await begin({ chain: 'signet' })).toBe('The node is on regtest, but CHAIN is signet.')
})

it('takes a height only on regtest, where it needs one', async () => {
  expect(await begin({ chain: 'main', at: 800_000 })).toBe('--at HEIGHT works only on regtest.')
  expect(await begin({})).toMatch(/give --at HEIGHT/)
})

it('finds the rare sats of earlier blocks, also after an interruption', async () => {
  const tip = await market.regtest.call<number>('getblockcount')
  const at = tip - 2
  const first = await freshDatabase()
  const calls: ReadProgress[] = []
  const sql = connect(first, { max: 2 })
  onTestFinished(() => sql.end())
  await migrate(sql)
  const node = new CoreSource(market.node.url)
  const reader = new BlockReader(node, market.node.url, 0)
  let isThreaded = false
  await readRareSats(sql, node, { chain: 'regtest', below: 50, reader }, () => {
    isThreaded ||= reader.isThreaded
  })
  await reader.close()
  expect(isThreaded).toBe(true)
  expect(await findUnknown(sql)).toEqual(['runes'])
  await beginAtNode(sql, node, { chain: 'regtest', at, rareSats: true }, (progress) => calls.push(progress))
  expect(calls.map(({ height }) => height)).toEqual(Array.from({ length: at - 50 }, (_, n) => 50 + n))
  // The blocks to 50 have only a coinbase.
  const { txcount } = await market.regtest.call<{ txcount: number }>(
    'getchaintxstats',
    1,
    await market.regtest.call('getblockhash', at - 1),
  )
  expect(calls[0]).toMatchObject({ done: 51, total: txcount })
  expect(calls.at(-1)).toMatchObject({ done: txcount, percent: 100 })
  expect(await findUnknown(sql)).toEqual(['sat-numbers', 'runes'])

  const config = testConfig({ ALLOW_RUNE_LOSS: 'yes' })
  const options = { ...config, databaseUrl: first, bitcoinRpcUrl: market.node.url }
  const following = followChain({ config: options, base: null }, NO_CONSUMERS, () => {})
  await following.sync()
  await following.close()
  const rows = (of: Sql) => of`select born_height, txid, vout, sat_offset from rare_sats order by born_height`
  expect([...(await rows(sql))]).toEqual([...(await rows(market.sql))])
})

it('fails if the node lacks earlier blocks', async () => {
  const tip = await market.regtest.call<number>('getblockcount')
  const sql = connect(await freshDatabase(), { max: 1 })
  onTestFinished(() => sql.end())
  await migrate(sql)
  const node = new CoreSource(market.node.url)
  await expect(
    readRareSats(sql, node, { chain: 'regtest', below: tip + 2, reader: new BlockReader(node, null) }),
  ).rejects.toThrow(`The node has no block ${tip + 1}.`)
  await market.regtest.mine(1)
  await readRareSats(sql, node, { chain: 'regtest', below: tip + 2, reader: new BlockReader(node, null) })
})

it('knows no rare sats of earlier blocks unless asked', async () => {
  const sql = connect(await freshDatabase(), { max: 1 })
  onTestFinished(() => sql.end())
  await migrate(sql)
  await beginAtNode(sql, new CoreSource(market.node.url), { chain: 'regtest', at: 50 })
  expect(await findUnknown(sql)).toEqual(['sat-numbers', 'runes', 'rare-sats'])
})

it('reads blocks ahead in a thread, and shows the progress of the first sync', async () => {
  await market.mine(300)
  const databaseUrl = await freshDatabase()
  const sql = connect(databaseUrl, { max: 1 })
  onTestFinished(() => sql.end())
  await migrate(sql)
  await beginAtNode(sql, new CoreSource(market.node.url), { chain: 'regtest', at: 50 })
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-market-'))
  const urls = { databaseUrl, bitcoinRpcUrl: market.node.url }
  const server = await startServer({ ...testConfig({ DATA_DIR: dataDir, ROLES: 'api' }), ...urls })
  onTestFinished(async () => {
    await server.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const statusNow = async () =>
    (await (await fetch(`${server.url}/status`)).json()) as AnswerOf<typeof getStatus>
  expect((await statusNow()).sync).toBe(null)

  const slow = { name: 'slow', apply: () => sleep(20), undo: async () => {} }
  const config = testConfig({ tuning: { blockThreadFromBytes: 0 } })
  const following = followChain(
    { config: { ...config, ...urls }, base: null },
    { ...NO_CONSUMERS, onBlock: [slow] },
    () => {},
  )
  const syncing = following.sync()
  let isOver = false
  const ended = syncing.finally(() => (isOver = true))
  const threads = new Set<string>()
  const seen = new Set<number>()
  while (!isOver) {
    const { sync } = await statusNow()
    if (sync) seen.add(sync.percent)
    for (const task of readdirSync('/proc/self/task')) threads.add(nameOf(task))
    await sleep(50)
  }
  await ended
  await following.close()
  expect(threads).toContain(THREAD_NAME)
  expect([...seen].filter((percent) => percent > 0 && percent < 100)).not.toEqual([])
  expect([...seen]).toEqual([...seen].toSorted((a, b) => a - b))
  await expect.poll(async () => (await statusNow()).sync, { timeout: 5000 }).toBe(null)
}, 120_000)

/** Returns the name of a thread of this process; empty if it has ended. */
function nameOf(task: string): string {
  try {
    return readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}
