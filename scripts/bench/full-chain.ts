import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { readBlock } from '@ordbook/bitcoin/raw-block.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { startNode, type TestNode } from '../../e2e/support/node.ts'
import {
  addSplit,
  BlockWriter,
  blockBytes,
  type ChainCoin,
  type ChainState,
  keepOutputs,
  type Mix,
  makeBlock,
  POOL_SCRIPT,
  paymentOf,
  SIMPLE,
} from './chain-blocks.ts'

interface ChainSize {
  blocks: number
  perBlock: number
  mix?: Mix
  /** Unconfirmed transactions at the end. */
  mempool?: number
}

const SEED_SATS = 20_000_000_000
const FAUCET_SCRIPT = taprootScriptOf(FAUCET_KEY)
/** Coins for the mempool: split in blocks of this many transactions, after the full ones. */
const SPLITS_PER_BLOCK = 1000
const PARTS = 16
const SEND_AT_ONCE = 500

/** Blocks before the first full one, and empty ones on top of the last. */
export const FIRST = 113
const DEPTH = 100

/** Checks of regtest that take longer than the blocks. The mempool is made at each start. */
const FLAGS = ['-checkblockindex=0', '-checkmempool=0', '-dbcache=1000', '-persistmempool=0']

const splitsOf = ({ mempool = 0 }: ChainSize) => Math.ceil(mempool / PARTS)
const splitBlocksOf = (size: ChainSize) => Math.ceil(splitsOf(size) / SPLITS_PER_BLOCK)
const heightOf = (size: ChainSize) => FIRST + size.blocks + splitBlocksOf(size) + DEPTH - 1

/**
 * Starts a bitcoind with a chain of full blocks, the first at height `FIRST`. Keeps the chain in the cache directory, and resumes there
 * after an interruption. Later blocks of an earlier run are invalidated.
 */
export async function startFullChain(size: ChainSize): Promise<TestNode> {
  const version = createHash('sha256')
    .update(readFileSync(join(import.meta.dirname, 'chain-blocks.ts')))
    .digest('hex')
    .slice(0, 8)
  const name = `${size.blocks}x${size.perBlock}-${size.mempool ?? 0}-${version}`
  const kept = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ordbook/full-chain', name)
  const start = () => startNode('bitcoind', [`-datadir=${kept}`, ...FLAGS])
  mkdirSync(kept, { recursive: true })
  let node = await start()
  const height = await node.regtest.call<number>('getblockcount')
  if (height > 0 && height < FIRST) {
    await node.stop()
    rmSync(kept, { recursive: true })
    mkdirSync(kept)
    node = await start()
  }
  if (height > heightOf(size)) {
    const later = await node.regtest.call<string>('getblockhash', heightOf(size) + 1)
    await node.regtest.call('invalidateblock', later)
    // Its transactions returned to the mempool.
    await node.restart()
  }
  await fillChain(node, size)
  return node
}

/** Mines what is missing of the full blocks, followed by a hundred empty ones, and fills the mempool. Returns the heights of the full blocks. */
export async function fillChain(node: TestNode, size: ChainSize): Promise<number[]> {
  const { regtest } = node
  const miner = new Miner(node)
  if ((await regtest.call<number>('getblockcount')) < FIRST - 1) await makePool(node, miner, size)
  let height = await regtest.call<number>('getblockcount')
  const last = FIRST + size.blocks - 1
  const mix = size.mix ?? SIMPLE
  if (height < last) {
    let state = await stateAt(node, height, mix)
    await miner.begin()
    while (height < last) {
      const { writer, next } = makeBlock(++height - FIRST, mix, state)
      await miner.mine(writer)
      state = next
    }
    await miner.done
  }
  const coins = size.mempool ? await splitPool(node, miner, size, mix) : []
  const missing = heightOf(size) - (await regtest.call<number>('getblockcount'))
  // Bury the full blocks below the reorg depth.
  if (missing > 0) await regtest.mine(missing)
  if (size.mempool) await fillMempool(node, coins.slice(0, size.mempool))
  return Array.from({ length: size.blocks }, (_, n) => FIRST + n)
}

async function makePool({ regtest }: TestNode, miner: Miner, { perBlock }: ChainSize): Promise<void> {
  await regtest.mine(FIRST - 3)
  const seed = await regtest.pay([{ valueSats: SEED_SATS, script: POOL_SCRIPT }])
  await regtest.mine()
  const writer = new BlockWriter()
  addSplit(writer, { ...outpointOf(seed, 1), valueSats: SEED_SATS }, perBlock * 2)
  await miner.begin()
  await miner.mine(writer)
  await miner.done
}

const outpointOf = (tx: Tx, vout: number) => ({ txid: Buffer.from(txidOf(tx), 'hex').reverse(), vout })

/** Submits blocks. The next block is made while the node checks the previous one. */
class Miner {
  done: Promise<void> = Promise.resolve()
  private readonly node: TestNode
  private tip: { hash: Uint8Array; height: number; time: number } = {
    hash: new Uint8Array(32),
    height: 0,
    time: 0,
  }

  constructor(node: TestNode) {
    this.node = node
  }

  async begin(): Promise<void> {
    const hash = await this.node.regtest.call<string>('getbestblockhash')
    const { height, time } = await this.node.regtest.call<{ height: number; time: number }>(
      'getblockheader',
      hash,
    )
    this.tip = { hash: Buffer.from(hash, 'hex').reverse(), height, time }
  }

  /** Submits a block once the previous one is accepted. */
  async mine(writer: BlockWriter): Promise<void> {
    const height = this.tip.height + 1
    // Later than the median of the last eleven.
    const time = Math.max(Math.floor(Date.now() / 1000), this.tip.time + (height % 5 === 0 ? 1 : 0))
    const { bytes, hash } = blockBytes(writer, {
      previous: this.tip.hash,
      height,
      time,
      script: FAUCET_SCRIPT,
    })
    this.tip = { hash, height, time }
    await this.done
    this.done = this.submit(bytes)
    // Awaited before the next block.
    this.done.catch(() => {})
  }

  private async submit(bytes: Buffer): Promise<void> {
    const refused = await this.node.regtest.call<string | null>('submitblock', bytes.toString('hex'))
    if (refused) throw new Error(`the node refused a block: ${refused}`)
  }
}

/** Reads the coins that the block after `height` spends. */
async function stateAt(node: TestNode, height: number, mix: Mix): Promise<ChainState> {
  const state: ChainState = { pool: [], parent: null, parentId: null, items: new Map() }
  const [first] = height > FIRST ? await transactionsAt(node, FIRST) : []
  if (first && mix.part(0, 0).reveal === 'parent') state.parentId = `${txidOf(first)}i0`
  for (const [at, tx] of (await transactionsAt(node, height)).entries()) {
    const { txid } = outpointOf(tx, 0)
    const block = height - FIRST
    if (block >= 0) keepOutputs(block, at, mix.part(block, at), { txid, outputs: tx.outputs }, state)
    else state.pool.push(...tx.outputs.map(({ valueSats }, vout) => ({ txid, vout, valueSats })))
  }
  return state
}

/** Reads the transactions of a block without its coinbase. */
async function transactionsAt({ regtest }: TestNode, height: number): Promise<Tx[]> {
  const hash = await regtest.call<string>('getblockhash', height)
  const hex = await regtest.call<string>('getblock', hash, 0)
  return readBlock(Buffer.from(hex, 'hex'), null)
    .transactions.slice(1)
    .map(({ tx }) => tx)
}

/** Mines the blocks that split coins of the pool. Returns the coins for the mempool. */
async function splitPool(node: TestNode, miner: Miner, size: ChainSize, mix: Mix): Promise<ChainCoin[]> {
  const last = FIRST + size.blocks - 1
  const { pool } = await stateAt(node, last, mix)
  if (splitsOf(size) > pool.length)
    throw new Error(
      `the pool of ${pool.length} coins is too small for ${size.mempool} unconfirmed transactions`,
    )
  const height = await node.regtest.call<number>('getblockcount')
  await miner.begin()
  const coins: ChainCoin[] = []
  for (let n = 0; n < splitBlocksOf(size); n++) {
    const writer = new BlockWriter()
    const end = Math.min((n + 1) * SPLITS_PER_BLOCK, splitsOf(size))
    for (const coin of pool.slice(n * SPLITS_PER_BLOCK, end)) coins.push(...addSplit(writer, coin, PARTS))
    if (last + n + 1 > height) await miner.mine(writer)
  }
  await miner.done
  return coins
}

/** Sends a transaction for each coin, with fee rates from 1 to 3 sat/vB. */
async function fillMempool({ url }: TestNode, coins: readonly ChainCoin[]): Promise<void> {
  for (let at = 0; at < coins.length; at += SEND_AT_ONCE) {
    const calls = coins.slice(at, at + SEND_AT_ONCE).map((coin, n) => ({
      id: n,
      method: 'sendrawtransaction',
      params: [paymentOf(coin, at + n, 170 + (((at + n) * 37) % 340)).toString('hex')],
    }))
    const { username, password, origin } = new URL(url)
    const response = await fetch(origin, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: JSON.stringify(calls),
    })
    const refused = ((await response.json()) as { error: { message: string } | null }[]).find(
      ({ error }) => error,
    )
    if (refused) throw new Error(`the node refused a transaction: ${refused.error!.message}`)
  }
}
