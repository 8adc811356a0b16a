import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { SatFlow } from '@ordbook/bitcoin/sat-ropes/flow.ts'
import { connect, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { open } from '@ordbook/db/driver/driver.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startProxy } from '../../../e2e/support/faults/proxy.ts'
import { freshDatabase, freshWallet } from '../../../e2e/support/market.ts'
import { startNode, type TestNode } from '../../../e2e/support/node.ts'
import { assertCommitted } from '../src/blocks/block-commitments.ts'
import { findIndexFault, setIndexFault } from '../src/blocks/fault-queries.ts'
import { Follower, type FollowerOptions } from '../src/blocks/follower.ts'
import { prepareBlocks, readEnvelopes } from '../src/blocks/index-blocks.ts'
import { findTip } from '../src/inscriptions/queries.ts'
import { CoreSource } from '../src/node/core.ts'
import type { BlockSource } from '../src/node/source.ts'
import { Turns } from '../src/turns.ts'

const IDLE_MS = 300

let node: TestNode
let sql: Sql
let databaseUrl: string
let height: number
beforeAll(async () => {
  // The devnet serves blocks by REST, as binary data.
  node = await startNode('devnet')
  await node.regtest.mine(101)
  await node.regtest.inscribe([
    {
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode('content of the test') },
      owner: freshWallet().ordinalsScript,
      postageSats: 10_000,
    },
  ])
  height = await node.regtest.call<number>('getblockcount')
})
afterAll(() => node?.stop())
beforeEach(async () => {
  databaseUrl = await freshDatabase()
  sql = connect(databaseUrl, { max: 2 })
  await migrate(sql)
  return () => sql.end()
})

const { signal } = new AbortController()
const followerOf = (options: Partial<FollowerOptions> = {}) =>
  new Follower({
    sql,
    node: new CoreSource(node.url),
    chain: 'regtest',
    consumers: [],
    log: pino({ level: 'silent' }),
    undoBlocks: 100,
    satIndex: 'off',
    ...options,
  })

describe('a follower whose computation exceeds the idle timeout', () => {
  it.each([
    ['reads the reason of PostgreSQL', false],
    ['sees only a closed socket', true],
  ])('blames the block at its first failure if it %s', async (_, isCut) => {
    const url = new URL(databaseUrl)
    const proxy = await startProxy(Number(url.port))
    url.port = String(proxy.port)
    const limited = open(url.href, {
      connectMs: 2000,
      statementMs: 8000,
      idleMs: IDLE_MS,
      max: 2,
      applicationName: 'test',
    })
    let computes = true
    const consumer = {
      name: 'slow',
      async apply(tx: Transaction) {
        if (!computes) return
        const end = performance.now() + 4 * IDLE_MS
        while (performance.now() < end);
        if (isCut) proxy.reset()
        await tx`select 1`
      },
      async undo() {},
    }
    const follower = followerOf({ sql: limited, consumers: [consumer] })
    try {
      await expect(follower.sync(signal)).rejects.toThrow(/block 0 cannot be indexed/)
      expect(await findIndexFault(sql)).toMatchObject({
        height: 0,
        isIndexed: false,
        reason: expect.stringMatching(/^the computation between two statements took longer/),
      })
      computes = false
      await expect.poll(() => follower.sync(signal).catch(() => null)).toBe(height)
      expect(await findIndexFault(sql)).toBeNull()
    } finally {
      await limited.end()
      await proxy.close()
    }
  })
})

describe('a follower with a consumer whose records the database rejects', () => {
  const BAD = 5
  /** Records heights, and runs a statement at one of them. */
  const consumerOf = (name: string, statement?: string) => ({
    name,
    async apply(tx: Transaction, block: { height: number }) {
      if (block.height === BAD && statement) await tx.unsafe(statement)
      await tx`insert into recorded values (${name}, ${block.height})`
    },
    async undo() {},
  })
  const recordedBy = async (name: string) =>
    (await sql<{ height: number }[]>`select height from recorded where name = ${name} order by height`).map(
      (row) => row.height,
    )
  beforeEach(() => sql`create table recorded (name text, height int8)`)

  it.each([
    ['a number', 'select 1 / 0'],
    ['a text', `select '"\\ud800"'::jsonb`],
    ['a row', `insert into blocks select * from blocks limit 1`],
    ['a size', `select repeat('x', 1073741824)`],
  ])('indexes the block without them if the consumer is optional: %s', async (_, statement) => {
    const logged: string[] = []
    const follower = followerOf({
      consumers: [
        consumerOf('orders'),
        { ...consumerOf('history', statement), isOptional: true },
        consumerOf('escrows'),
      ],
      log: pino({ level: 'error' }, { write: (line) => void logged.push(line) }),
    })
    expect(await follower.sync(signal)).toBe(height)
    expect(await findIndexFault(sql)).toBeNull()
    const all = Array.from({ length: height + 1 }, (_, n) => n)
    expect(await recordedBy('orders')).toEqual(all)
    expect(await recordedBy('escrows')).toEqual(all)
    expect(await recordedBy('history')).toEqual(all.filter((each) => each !== BAD))
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0]!)).toMatchObject({
      msg: expect.stringMatching(
        /^indexing block 5 without its history: rejected by the database \(SQLSTATE/,
      ),
    })
  })

  it.each([
    ['the market relies on them', { isOptional: false as never }, 'select 1 / 0'],
    ['the statement is wrong', { isOptional: true as const }, 'select from nowhere'],
  ])('stops at the block if %s', async (_, option, statement) => {
    const follower = followerOf({ consumers: [{ ...consumerOf('records', statement), ...option }] })
    await expect(follower.sync(signal)).rejects.toThrow(/block 5 cannot be indexed/)
    expect(await recordedBy('records')).toEqual([0, 1, 2, 3, 4])
  })
})

describe('the fault of a follower', () => {
  it('is stored after a write that failed', async () => {
    const divides = async (tx: Transaction) => void (await tx`select 1 / 0`)
    const follower = followerOf({ consumers: [{ name: 'records', apply: divides, async undo() {} }] })
    await sql`alter table index_fault add constraint full_disk check (false)`
    await expect(follower.sync(signal)).rejects.toThrow(/full_disk/)
    await sql`alter table index_fault drop constraint full_disk`
    await expect(follower.sync(signal)).rejects.toThrow(/block 0 cannot be indexed/)
    expect(await findIndexFault(sql)).toMatchObject({ height: 0 })
  })

  it('names the failing block if the batch was indexed in part', async () => {
    const failing = {
      name: 'records',
      apply: async (tx: Transaction, block: { height: number }) =>
        void (block.height === 11 && (await tx`select 1 / 0`)),
      async undo() {},
    }
    const follower = followerOf({ consumers: [failing], blocksAtOnce: 4 })
    await expect(follower.sync(signal)).rejects.toThrow(/block 11 cannot be indexed/)
    expect(await findIndexFault(sql)).toMatchObject({ height: 11, isIndexed: false })
    expect((await findTip(sql))!.height).toBe(10)
  })

  it('is cleared if another process stored it', async () => {
    const follower = followerOf()
    await follower.sync(signal)
    const tip = (await findTip(sql))!
    await setIndexFault(sql, { ...tip, txid: null, reason: 'unknown', since: new Date() })
    follower.forget()
    await follower.sync(signal)
    expect(await findIndexFault(sql)).toBeNull()
  })
})

describe('a follower behind a proxy that alters blocks', () => {
  let proxy: Server
  /** Alters the bytes of the last block; null to pass them. */
  let alter: ((bytes: Buffer) => void) | null
  beforeAll(async () => {
    const hash = await node.regtest.call<string>('getbestblockhash')
    const { origin, username, password } = new URL(node.url)
    proxy = createServer(async (request, response) => {
      const chunks: Uint8Array[] = []
      for await (const chunk of request) chunks.push(chunk)
      const answer = await fetch(new URL(request.url!, origin), {
        method: request.method!,
        headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (request.url === `/rest/block/${hash}.bin`) alter?.(bytes)
      response.writeHead(answer.status).end(bytes)
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    return () => proxy.closeAllConnections()
  })
  afterAll(() => void proxy?.close())

  const flipAt = (find: (bytes: Buffer) => number) => (bytes: Buffer) => {
    const at = find(bytes)
    expect(at).toBeGreaterThan(0)
    bytes[at]! ^= 1
  }

  it.each([
    ['the nonce', flipAt(() => 78), /the header is different/],
    ['the coinbase', flipAt(() => 90), /the Merkle root of its transactions is different/],
    ['a locktime', flipAt((bytes) => bytes.length - 1), /the Merkle root of its transactions is different/],
    [
      'the content of an inscription',
      flipAt((bytes) => bytes.indexOf('content of the test')),
      /the commitment to its witnesses is different/,
    ],
  ])('retries a block with a flipped bit in %s', async (_, flip, reason) => {
    alter = flip
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`
    const follower = followerOf({ node: new CoreSource(url) })
    await expect(follower.sync(signal)).rejects.toThrow(reason)
    expect(await findIndexFault(sql)).toMatchObject({ height, reason: expect.stringMatching(reason) })
    expect((await findTip(sql))!.height).toBe(height - 1)
    alter = null
    await expect.poll(() => follower.sync(signal).catch(() => null)).toBe(height)
    expect(await findIndexFault(sql)).toBeNull()
  })
})

it('yields to the event loop after each transaction of a long computation', async () => {
  const source = new CoreSource(node.url)
  const [before, hash] = (await source.blockHashes(height - 1, height)) as [string, string]
  const behind = { chain: 'regtest', blocks: height - 1, bestblockhash: before }
  await followerOf({
    node: Object.assign(Object.create(source), { blockchainInfo: async () => behind }),
    satIndex: 'on',
  }).sync(signal)
  const block = { ...(await source.block(hash)), height }
  assertCommitted(block, hash)
  const transactions = block.transactions.length - 1
  expect(transactions).toBeGreaterThan(0)
  const turns = () => new Turns(null, 0)
  const prepare = async (sats: SatFlow | null) => {
    const used = turns()
    const common = { tip: await findTip(sql), rules: RULES.regtest!, undoFrom: 0, signal }
    await prepareBlocks(sql, [block], { ...common, sats, turns: used })
    return used.taken
  }
  const reading = turns()
  await readEnvelopes([block], signal, reading)
  expect(reading.taken).toBe(transactions)
  // The transaction and the coinbase that move inscribed sats.
  const taken = await prepare(null)
  expect(taken).toBe(2)
  expect(await prepare(new SatFlow())).toBe(taken + transactions)
})

it('reads again if a block leaves the chain while it is read', async () => {
  const source = new CoreSource(node.url)
  const best = await node.regtest.call<string>('getbestblockhash')
  let isReplaced = false
  const reorganized: BlockSource = Object.assign(Object.create(source), {
    async block(hash: string) {
      if (hash === best && !isReplaced) {
        isReplaced = true
        await node.regtest.call('invalidateblock', hash)
        await node.regtest.mineExactly([])
      }
      return source.block(hash)
    },
  })
  const follower = followerOf({ node: reorganized })
  await expect(follower.sync(signal)).rejects.toThrow(`block ${height} left the node's chain`)
  expect(await findIndexFault(sql)).toBeNull()
  expect(await follower.sync(signal)).toBe(height)
})

it('reads blocks by REST after a block that the node does not have', async () => {
  const source = new CoreSource(node.url)
  await expect(source.block('00'.repeat(32))).rejects.toThrow()
  await source.block(await node.regtest.call('getbestblockhash'))
  expect(source.byRest).toBe(true)
})
