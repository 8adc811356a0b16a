import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { type NodeKind, startNode, type TestNode } from '../support/node.ts'
import {
  answersOf,
  answersOfOrd,
  type Comparison,
  compareAnswers,
  describeDifference,
} from '../support/ord/ord-differences.ts'
import type { Answer } from '../support/ord/recursive-paths.ts'
import {
  beginIndex,
  beginIndexAtNode,
  compareBegun,
  type Index,
  openIndex,
  positionFrom,
} from './support/begun-index.ts'
import { indexOf, satsOf, slowSats } from './support/index-of.ts'
import { startOrd } from './support/ord-server.ts'
import { growBranches } from './support/random-branches.ts'
import { Dice, JsonChain } from './support/random-chain.ts'
import { recompute } from './support/slow-index.ts'

/**
 * Compares the index with ord 0.29.1 on hostile random chains with reorgs, answer by answer, with a second index that reads the final
 * chain from its first block, with one that begins at ord in the middle of the chain, and with one that a node alone begins at the first
 * inscription. ORDBOOK_RECORD=1 records chains and ord's answers; requires ORDBOOK_TEST_ORD and a bitcoind.
 */
const RECORDED = join(import.meta.dirname, 'recorded')
interface Recorded {
  blocks: string[]
  answers: Record<string, Answer>
}
const CHAINS = Number(process.env.ORDBOOK_CHAINS ?? sampled(1, 10))
const ACTIONS = Number(process.env.ORDBOOK_ACTIONS ?? 30)
/** Least height at which the third index begins. */
const BASE_HEIGHT = 122

/** Submits a block, also on another branch than the node's. */
async function submit({ kind, regtest }: TestNode, hex: string): Promise<void> {
  const verdict = await regtest.call<string | null>('submitblock', hex)
  if (verdict === null) return
  if (verdict !== 'inconclusive') throw new Error(`the node rejected a block: ${verdict}`)
  // bitcoind keeps the branch until it is longer. The devnet accepts blocks only on its tip.
  if (kind === 'bitcoind') return
  const previous = Buffer.from(hex.slice(8, 72), 'hex').reverse().toString('hex')
  const { height } = await regtest.call<{ height: number }>('getblockheader', previous)
  await regtest.call('invalidateblock', await regtest.call('getblockhash', height + 1))
  expect(await regtest.call('submitblock', hex)).toBeNull()
}

/** Rows that must not depend on batches or reorgs, as text. */
async function rowsOf(sql: Sql): Promise<Set<string>> {
  const { ranges, rare } = await satsOf(sql)
  const tables = {
    inscriptions: await sql`select * from inscriptions order by sequence`,
    blocks: await sql`select * from blocks order by height`,
    moves: await sql`select * from coin_moves order by height, position`,
    ranges: Object.entries(ranges),
    rare: Object.entries(rare),
  }
  return new Set(
    Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => `${table} ${JSON.stringify(row)}`)),
  )
}

/**
 * Indexes blocks while they arrive. Compares the result with a recomputation and a later index, then passes it to `use`. After the block
 * at a position, `begin` opens another index, which is synced with the first.
 */
async function follow(
  kind: NodeKind,
  blocks: readonly string[],
  dice: Dice,
  use: (index: Index, node: TestNode) => Promise<void>,
  begin?: { position: number; open(live: Index, node: TestNode): Promise<Index> },
): Promise<void> {
  // The blocks are old.
  const node = await startNode(kind, ['-maxtipage=2000000000'])
  const live = await openIndex(node)
  const indexes = [live]
  try {
    for (const [n, block] of blocks.entries()) {
      await submit(node, block)
      const begins = n === begin?.position
      if (begins || dice.chance(40)) for (const index of indexes) await index.sync()
      if (begins) indexes.push(await begin!.open(live, node))
    }
    for (const index of indexes) await index.sync()
    const index = recompute(await new JsonChain(node.regtest).read())
    expect(await indexOf(live.sql)).toEqual(index.inscriptions)
    expect(await satsOf(live.sql)).toEqual(slowSats(index))
    const late = await openIndex(node)
    indexes.push(late)
    await late.sync()
    const [lateRows, liveRows] = [await rowsOf(late.sql), await rowsOf(live.sql)]
    expect([...lateRows.difference(liveRows)].slice(0, 10)).toEqual([])
    expect([...liveRows.difference(lateRows)].slice(0, 10)).toEqual([])
    await use(live, node)
  } finally {
    for (const index of indexes) await index.close()
    await node.stop()
  }
}

for (const name of readdirSync(RECORDED).filter((each) => each.startsWith('chain-')))
  it(`matches an ord on the recorded ${name}`, async () => {
    const { blocks, answers }: Recorded = JSON.parse(
      brotliDecompressSync(readFileSync(join(RECORDED, name))).toString(),
    )
    await follow('devnet', blocks, new Dice(1), async ({ url, sql }, node) => {
      const { paths, answer } = await answersOf(url, sql)
      expect(paths.toSorted()).toEqual(Object.keys(answers).toSorted())
      const { differences } = await compareAnswers(paths, answer, async (path) => answers[path]!)
      expect(differences.map(describeDifference).slice(0, 20)).toEqual([])
      await compareAtNode(node)
    })
  }, 300_000)

/** Compares an index that a node alone began at the first inscription with one that read from block 0, both without numbered sats. */
async function compareAtNode(node: TestNode): Promise<void> {
  const full = await openIndex(node, undefined, undefined, 'off')
  await full.sync()
  const [first] = await full.sql<{ height: number }[]>`select min(height) as height from inscription_rows`
  const begun = await beginIndexAtNode(node, first!.height)
  try {
    await begun.sync()
    const rows = async ({ sql }: Index) => ({
      inscriptions: await sql`select * from inscriptions order by sequence`,
      blocks: await sql`select * from blocks where height >= ${first!.height} - 1 order by height`,
      moves: await sql`select * from coin_moves order by height, position`,
    })
    expect(await rows(begun)).toEqual(await rows(full))
    const { paths, answer } = await answersOf(full.url, full.sql)
    const theirs = await answersOf(begun.url, begun.sql)
    const { differences } = await compareAnswers(paths, answer, theirs.answer)
    expect(differences.map(describeDifference).slice(0, 20)).toEqual([])
  } finally {
    await begun.close()
    await full.close()
  }
}

if (process.env.ORDBOOK_TEST_ORD)
  it('matches a live ord on random chains', async () => {
    const first = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))
    const failed: string[] = []
    for (let seed = first; seed < first + CHAINS; seed++) {
      const branches = growBranches(seed, ACTIONS)
      const { blocks, reorgs } = branches
      console.log(`seed ${seed}: ${blocks.length} blocks`)
      let begun: Index | null = null
      const begin = {
        position: positionFrom(BASE_HEIGHT, branches),
        async open(live: Index, node: TestNode) {
          begun = await beginIndex(node, live)
          return begun
        },
      }
      const compare = async (live: Index, node: TestNode) => {
        const ord = await startOrd({ node, regtest: node.regtest } as Parameters<typeof startOrd>[0])
        try {
          await ord.sync()
          const { paths, answer } = await answersOf(live.url, live.sql)
          const answers: Record<string, Answer> = {}
          const theirs = answersOfOrd(ord.url)
          const read = async (path: string) => (answers[path] = await theirs(path))
          const comparison = await compareAnswers(paths, answer, read)
          console.log(`seed ${seed}: ${await describe(live.sql, reorgs, comparison)}`)
          failed.push(
            ...comparison.differences.map((each) => `seed ${seed}, ord: ${describeDifference(each)}`),
          )
          if (process.env.ORDBOOK_RECORD) record(seed, { blocks, answers })
        } finally {
          await ord.stop()
        }
        const comparison = await compareBegun(live, begun!)
        console.log(`seed ${seed}, begun at ord: ${await describe(begun!.sql, reorgs, comparison)}`)
        failed.push(
          ...comparison.differences.map((each) => `seed ${seed}, begun at ord: ${describeDifference(each)}`),
        )
      }
      await follow('bitcoind', blocks, new Dice(seed), compare, begin)
    }
    expect(failed.slice(0, 50)).toEqual([])
  }, 3_600_000)

function record(seed: number, recorded: Recorded): void {
  const bytes = Buffer.from(JSON.stringify(recorded))
  // Transaction ids repeat far apart.
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(join(RECORDED, `chain-${seed}.json.br`), brotliCompressSync(bytes, { params }))
}

async function describe(sql: Sql, reorgs: readonly number[], { pairs, accepted, differences }: Comparison) {
  const [counts] = await sql`
    select count(*) as inscriptions, count(*) filter (where cursed) as cursed, count(*) filter (where vindicated) as vindicated,
      count(*) filter (where unbound) as unbound, count(*) filter (where reinscription) as reinscribed,
      count(*) filter (where parent_ids <> '{}') as children, count(*) filter (where delegate_id is not null) as delegating,
      count(*) filter (where properties is not null) as with_properties, count(*) filter (where born_in = 'op_return') as burned,
      count(*) filter (where born_in = 'lost') as lost
    from inscription_rows`
  const figures = Object.entries(counts!).map(([name, count]) => `${count} ${name}`)
  const reasons = Object.entries(accepted).map(([reason, count]) => `\n  ${count} accepted: ${reason}`)
  return `${figures.join(', ')}; reorgs of ${reorgs.join(', ') || 'none'}; ${pairs} pairs of answers, ${differences.length} differ${reasons.join('')}`
}
