import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer } from '@ordbook/app/server.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, testConfig } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { bombs } from './support/hostile.ts'
import { answersOf, HostileChain, ordAnswersOf } from './support/hostile-chain.ts'
import { type OrdServer, startOrd } from './support/ord-server.ts'

/**
 * Blocks that overload a naive index. The results must equal the results of `ord`, and the block size must bound the written rows and bytes.
 * With ORDBOOK_TEST_ORD and a bitcoind, compares with a real ord; ORDBOOK_RECORD=1 records its results.
 */
const FILE = join(import.meta.dirname, 'support/hostile-answers.json')
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Record<
  string,
  { inscriptions: number; digest: string }
>
/** Maximum database growth per byte of a block, per inscription and per batch. */
const BYTES_PER_BYTE = 20
const BYTES_PER_INSCRIPTION = 500
const BYTES_ANYWAY = 2 ** 21
const ROWS_PER_BYTE = 1 / 20
const ROWS_PER_INSCRIPTION = 3
const ROWS_ANYWAY = 50
const SAMPLE = 100

let node: TestNode
let server: Server
let sql: Sql
let ord: OrdServer | null = null
let chain: HostileChain
let directory: string
beforeAll(async () => {
  node = await startNode()
  directory = mkdtempSync(join(tmpdir(), 'ordbook-hostile-'))
  const databaseUrl = await freshDatabase()
  const config = testConfig({ DATA_DIR: directory, ROLES: 'follower', SAT_INDEX: 'on' })
  await node.regtest.mine(103)
  server = await startServer({ ...config, databaseUrl, bitcoinRpcUrl: node.url })
  sql = connect(databaseUrl, { max: 2 })
  if (process.env.ORDBOOK_TEST_ORD && node.kind === 'bitcoind')
    ord = await startOrd({ node, regtest: node.regtest, sql } as Parameters<typeof startOrd>[0])
  chain = new HostileChain(node.regtest)
  await chain.fund(bombs)
  await server.sync()
})
afterAll(async () => {
  if (process.env.ORDBOOK_RECORD) writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`)
  await ord?.stop()
  await sql?.end()
  await server?.close()
  await node?.stop()
  rmSync(directory, { recursive: true, force: true })
})

async function measure() {
  const [row] = await sql<{ bytes: number; inscriptions: number; height: number }[]>`
    select pg_database_size(current_database()) as bytes, (select count(*) from inscriptions) as inscriptions,
      (select max(height) from blocks) as height`
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`
  let rows = 0
  for (const { name } of tables) {
    const [counted] = await sql<{ count: number }[]>`select count(*) from ${sql.unsafe(`"${name}"`)}`
    rows += counted!.count
  }
  return { ...row!, rows }
}

describe(`hostile blocks on ${process.env.ORDBOOK_TEST_NODE ?? 'devnet'}`, () => {
  it.each(bombs)('$name', { timeout: 300_000 }, async (bomb) => {
    const before = await measure()
    const blockBytes = (await chain.mine(bomb)).reduce((sum, size) => sum + size, 0)
    expect(await server.sync()).toBe(await node.regtest.call('getblockcount'))
    const after = await measure()
    const inscriptionCount = after.inscriptions - before.inscriptions
    const rows = after.rows - before.rows
    const bytes = after.bytes - before.bytes
    console.log(
      `${bomb.name}: ${blockBytes} B, ${inscriptionCount} inscriptions, ${rows} rows, ${bytes} B of database`,
    )

    // ord takes seconds per hundred inscriptions in an output, so compare a sample.
    const every = Math.ceil(inscriptionCount / SAMPLE)
    const ours = (await answersOf(sql, before.inscriptions)).filter(
      (_, n) => n % every === 0 || n === inscriptionCount - 1,
    )
    const answer = { inscriptions: after.inscriptions, digest: chain.digestOf(ours, before.height) }
    if (ord) {
      await ord.sync()
      const slowOrd = new Ord(ord.url).within({ milliseconds: 120_000 })
      const theirs = await ordAnswersOf(
        slowOrd,
        ours.map((row) => row.id),
      )
      expect(ours).toEqual(theirs)
      expect((await slowOrd.numbering()).inscriptions).toBe(after.inscriptions)
      recorded[bomb.name] = answer
    }
    // The devnet's coinbase claims the fees. The recorded blocks come from `generateblock`, whose coinbase does not.
    const asRecorded = node.kind === 'bitcoind' || !bomb.leavesFees
    expect(asRecorded ? answer : answer.inscriptions).toEqual(
      asRecorded ? recorded[bomb.name] : recorded[bomb.name]!.inscriptions,
    )
    expect(bytes).toBeLessThanOrEqual(
      BYTES_PER_BYTE * blockBytes + BYTES_PER_INSCRIPTION * inscriptionCount + BYTES_ANYWAY,
    )
    expect(rows).toBeLessThanOrEqual(
      ROWS_PER_BYTE * blockBytes + ROWS_PER_INSCRIPTION * inscriptionCount + ROWS_ANYWAY,
    )
  })
})
