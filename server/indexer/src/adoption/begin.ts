import { type ChainRules, RULES } from '@ordbook/bitcoin/chain-rules.ts'
import { envelopesIn } from '@ordbook/bitcoin/coin-flow.ts'
import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { BlockReader } from '../blocks/block-reader.ts'
import { setBase } from '../inscriptions/adopt-queries.ts'
import { type BlockRow, findTip, insertBlocks, lockIndex } from '../inscriptions/queries.ts'
import type { CoreSource } from '../node/core.ts'
import { nodeState } from '../node/core-answers.ts'
import type { BlockSource } from '../node/source.ts'
import type { Ord } from '../ord/ord.ts'
import type { OrdNumbering } from '../ord/ord-answers.ts'
import { setSatIndex } from '../sats/sat-queries.ts'
import { type ReadProgress, readRareSats } from './rare-sats.ts'

/**
 * Begins an index at the tip of an `ord` server, with its inscription counters. Returns that height. Older inscriptions are copied from
 * `ord` when a collection lists them, if ord's tip is on our chain and not behind the index.
 */
export async function beginAtOrd(sql: Sql, node: BlockSource, ord: Ord): Promise<number> {
  const { unbound, ...status } = await countersOf(ord)
  const { height } = status
  if (height === null || !status.inscription_index)
    throw new Error('The ord server has no inscription index. Start it without --no-index-inscriptions.')
  if (status.unrecoverably_reorged)
    throw new Error('The ord server reports an unrecoverable reorg. Reindex it.')
  const hash = await node.blockHash(height)
  if (hash === null || (await ord.blockHash(height)) !== hash)
    throw new Error(
      `The ord server and the node have different blocks at height ${height}. Wait until both are synced.`,
    )
  const { time } = await node.block(hash)
  const first = {
    height,
    blockHash: hash,
    minedAt: new Date(time * 1000),
    nextSequence: status.inscriptions,
    blessed: status.blessed_inscriptions,
    cursed: status.cursed_inscriptions,
    unbound,
    lostSats: status.lost_sats,
  }
  await insertFirst(sql, first, (tx) => setBase(tx, height))
  return height
}

const COUNTER_TRIES = 5

/** Reads ord's counters, all after the same block. */
async function countersOf(ord: Ord): Promise<OrdNumbering & { unbound: number }> {
  for (let n = 0; n < COUNTER_TRIES; n++) {
    const status = await ord.numbering()
    const unbound = await ord.unboundCount()
    const after = await ord.numbering()
    if (status.height === after.height && status.inscriptions === after.inscriptions)
      return { ...status, unbound }
  }
  throw new Error('The ord server is still indexing blocks. Wait until it is synced.')
}

const HAS_BLOCKS = 'The index already has blocks. Start with an empty database.'
const NO_INSCRIPTIONS = { nextSequence: 0, blessed: 0, cursed: 0, unbound: 0 }

/**
 * Begins an index at the block before a chain's first inscription, from a node alone, without numbered sats. Returns that height. On regtest
 * `at` is the first block to index, and no earlier block may have an envelope. `rareSats` reads all earlier blocks for their rare sats, with `url`
 * of the node in a thread. Throws if the node cannot serve all blocks by REST.
 */
export async function beginAtNode(
  sql: Sql,
  node: CoreSource,
  options: { chain: string; at?: number | null; rareSats?: boolean; url?: string },
  onProgress?: (progress: ReadProgress) => void,
): Promise<number> {
  const { chain, at = null, rareSats = false, url = null } = options
  const rules = RULES[chain]!
  if (at !== null && chain !== 'regtest') throw new Error('--at HEIGHT works only on regtest.')
  const first = at ?? rules.firstInscriptionHeight
  if (first < 1)
    throw new Error(
      'On this chain the first block may have inscriptions. Start the server: it begins there. Or give --at HEIGHT.',
    )
  await assertServes(node, chain, rareSats ? 0 : first)
  if (await findTip(sql)) throw new Error(HAS_BLOCKS)
  // As in ord without --index-sats, locations of lost sats on other chains are counted from the first inscription.
  const lostSats = at === null ? 0 : await lostSatsBelow(node, rules, first)
  if (rareSats) {
    const reader = new BlockReader(node, url)
    await readRareSats(sql, node, { chain, below: first, reader }, onProgress).finally(() => reader.close())
  }
  const height = first - 1
  const hash = await node.blockHash(height)
  const { time } = await node.block(hash!)
  const row = { ...NO_INSCRIPTIONS, lostSats, height, blockHash: hash!, minedAt: new Date(time * 1000) }
  await insertFirst(sql, row, (tx) => setSatIndex(tx, 'off'))
  return height
}

/** Throws unless the node has all blocks from a height to its tip, and serves the first and the last by REST. */
async function assertServes(node: CoreSource, chain: string, from: number): Promise<void> {
  const { blocks, pruned, pruneheight = 0, ...state } = await node.call(nodeState, 'getblockchaininfo')
  if (state.chain !== chain) throw new Error(`The node is on ${state.chain}, but CHAIN is ${chain}.`)
  if (blocks < from) throw new Error(`The node has ${blocks} blocks. Wait until it has block ${from}.`)
  if (pruned && pruneheight >= from)
    throw new Error(`The node is pruned below block ${pruneheight}, and the index needs block ${from}.`)
  for (const height of [from, blocks]) await node.block((await node.blockHash(height))!)
  if (!node.byRest)
    throw new Error(
      'The node does not serve blocks and spent outputs by REST. Use Bitcoin Core 30, or Knots 29.4, with rest=1.',
    )
}

/** Returns the sats that earlier blocks left unclaimed. Throws if one of them has an envelope. */
async function lostSatsBelow(node: BlockSource, rules: ChainRules, first: number): Promise<number> {
  let lost = 0
  for (let height = 0; height < first; height++) {
    const { transactions } = await node.block((await node.blockHash(height))!)
    const [coinbase, ...spending] = transactions
    const inscribing = spending.find((each) => each.mayInscribe && envelopesIn(each).length > 0)
    if (inscribing)
      throw new Error(`Block ${height} has an inscription (${inscribing.txid}i0). Begin at or before it.`)
    lost += subsidyAt(height, rules.halvingInterval)
    for (const { feeSats } of spending) lost += feeSats
    for (const { valueSats } of coinbase!.outputs) lost -= valueSats
  }
  return lost
}

/** Inserts the first block of an empty index. */
async function insertFirst(
  sql: Sql,
  row: BlockRow,
  begin: (tx: Transaction) => Promise<void>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    if (await findTip(tx)) throw new Error(HAS_BLOCKS)
    await insertBlocks(tx, [row])
    await begin(tx)
  })
}
