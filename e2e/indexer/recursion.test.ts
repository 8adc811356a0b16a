import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Server, startServer } from '@ordbook/app/server.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { expect, it } from 'vitest'
import { freshDatabase, testConfig } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { answerAt, recursivePathsOf } from '../support/recursive-paths.ts'
import { startOrd } from './support/ord-server.ts'
import { Crowd, Dice, JsonChain } from './support/random-chain.ts'
import { recompute } from './support/slow-index.ts'

/**
 * Compares the recursive endpoints with ord 0.29.1 on a recorded random chain. ORDBOOK_RECORD=1 records a new one and requires
 * ORDBOOK_TEST_ORD and a bitcoind.
 */
const RECORD = join(import.meta.dirname, 'recorded/recursion.json.gz')
interface Recorded {
  blocks: string[]
  answers: Record<string, { status: number; body: unknown }>
}

/** Runs `run` with a server that has indexed a node's chain. */
async function withIndex(node: TestNode, run: (server: Server, sql: Sql) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-recursion-'))
  const databaseUrl = await freshDatabase()
  const server = await startServer({
    ...testConfig({ DATA_DIR: dataDir }),
    databaseUrl,
    bitcoinRpcUrl: node.url,
  })
  const sql = connect(databaseUrl, { max: 2 })
  try {
    await server.sync()
    // The first request may wait for the connection pools.
    await answerAt(server.url, '/r/blockheight')
    await run(server, sql)
  } finally {
    await sql.end()
    await server.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

it('matches the responses of a recorded ord', async () => {
  const recorded: Recorded = JSON.parse(gunzipSync(readFileSync(RECORD)).toString())
  const node = await startNode('devnet')
  for (const block of recorded.blocks) expect(await node.regtest.call('submitblock', block)).toBeNull()
  await withIndex(node, async ({ url }, sql) => {
    const paths = await recursivePathsOf(sql)
    expect(paths.toSorted()).toEqual(Object.keys(recorded.answers).toSorted())
    const check = async (path: string) =>
      expect(await answerAt(url, path), path).toEqual(recorded.answers[path])
    // Concurrent large responses are limited per client.
    const [large, small] = [true, false].map((is) =>
      paths.filter((path) => /^\/r\/(block|tx|metadata|utxo)\//.test(path) === is),
    )
    for (const path of large!) await check(path)
    for (let at = 0; at < small!.length; at += 20) await Promise.all(small!.slice(at, at + 20).map(check))
  })
  await node.stop()
}, 300_000)

if (process.env.ORDBOOK_TEST_ORD)
  it('matches the responses of a live ord', async () => {
    const node = await startNode('bitcoind')
    const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))
    const chain = new JsonChain(node.regtest)
    const crowd = new Crowd(new Dice(seed), FAUCET_KEY)
    await node.regtest.mine(101)
    // On regtest ord expects mainnet's subsidies, so stay below the first halving.
    for (let height = 102; height < 150; height++)
      await node.regtest.mineExactly(crowd.block(recompute(await chain.read()), height))
    const ord = await startOrd({ node, regtest: node.regtest } as Parameters<typeof startOrd>[0])
    await ord.sync()
    await withIndex(node, async ({ url }, sql) => {
      const answers: Recorded['answers'] = {}
      const differences: unknown[] = []
      for (const path of await recursivePathsOf(sql)) {
        const [ours, theirs] = await Promise.all([answerAt(url, path), answerAt(ord.url, path)])
        // The index has no runes, like ord without --index-runes.
        if (path.startsWith('/r/utxo/') && theirs.status === 200)
          Object.assign(theirs.body as object, { runes: null })
        answers[path] = theirs
        try {
          expect(ours).toEqual(theirs)
        } catch {
          differences.push({ path, ours, theirs })
        }
      }
      console.log(
        `seed ${seed}: ${Object.keys(answers).length} pairs of answers, ${differences.length} differ`,
      )
      if (process.env.ORDBOOK_RECORD) {
        const blocks: string[] = []
        for (const block of (await chain.read()).slice(1))
          blocks.push(await node.regtest.call<string>('getblock', block.hash, 0))
        writeFileSync(RECORD, gzipSync(JSON.stringify({ blocks, answers } satisfies Recorded), { level: 9 }))
      }
      expect(differences.slice(0, 20)).toEqual([])
    })
    await ord.stop()
    await node.stop()
  }, 600_000)
