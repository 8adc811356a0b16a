import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { Gate } from '@ordbook/db/driver/gate.ts'
import { missing, unavailable } from '@ordbook/db/process/errors.ts'
import type { BlockHeader, BlockStats } from '../node/block-facts.ts'
import { type BlockArchive, type BlockSource, SourceFault } from '../node/source.ts'

export class NodeBlocks {
  private readonly node: BlockArchive & Pick<BlockSource, 'blockHash'>
  /** Limits memory: a block is up to 8 MB in hex. */
  private readonly gate = new Gate({ running: 4, waiting: 100 })
  /** Cached by block hash, because the node reads the whole block. */
  private readonly stats = new Map<string, BlockStats>()

  constructor(node: BlockArchive & Pick<BlockSource, 'blockHash'>) {
    this.node = node
  }

  /** Returns the hash of a block below the index's first; null if there is none. */
  hashAt(height: number): Promise<string | null> {
    return this.read(`block ${height}`, () => this.node.blockHash(height))
  }

  blockHex(hash: string): Promise<string> {
    return this.read(`block ${hash}`, () => this.node.blockHex(hash))
  }

  /** Returns a transaction in hex, also from the mempool. Throws `missing`, or `unavailable` without `txindex`. */
  async transactionHex(txid: string): Promise<string> {
    return this.read(`transaction ${txid}`, () => this.node.transactionHex(txid))
  }

  blockInfo(hash: string) {
    return this.read(`block ${hash}`, async () => {
      const header = await this.node.blockHeader(hash)
      const stats = this.stats.get(hash) ?? (await this.node.blockStats(hash))
      this.keep(hash, stats)
      return describeBlock(header, stats)
    })
  }

  /** Returns the sats of a confirmed OP_RETURN output; null if unknown. */
  async unspendableValue(place: Outpoint): Promise<number | null> {
    const output = await this.gate.run(() => this.node.confirmedOutput(place))
    return output?.script[0] === OP_RETURN ? output.valueSats : null
  }

  private keep(hash: string, stats: BlockStats): void {
    this.stats.delete(hash)
    this.stats.set(hash, stats)
    if (this.stats.size > MAX_STATS) this.stats.delete(this.stats.keys().next().value!)
  }

  private async read<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await this.gate.run(request)
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      if (error.reason === 'unindexed')
        throw unavailable(
          'transaction-index-missing',
          'The Bitcoin node has no transaction index (txindex=1).',
        )
      if (error.reason === 'unknown') throw missing('chain-data-missing', `The Bitcoin node has no ${what}.`)
      throw unavailable('node-unavailable', `The Bitcoin node has no data for ${what}.`, error)
    }
  }
}

const OP_RETURN = 0x6a
const MAX_STATS = 1000

function describeBlock(header: BlockHeader, stats: BlockStats) {
  return {
    average_fee: stats.avgfee,
    average_fee_rate: stats.avgfeerate,
    bits: Number.parseInt(header.bits, 16),
    chainwork: header.chainwork,
    confirmations: header.confirmations,
    difficulty: header.difficulty,
    hash: header.hash,
    feerate_percentiles: stats.feerate_percentiles,
    height: header.height,
    max_fee: stats.maxfee,
    max_fee_rate: stats.maxfeerate,
    max_tx_size: stats.maxtxsize,
    median_fee: stats.medianfee,
    median_time: header.mediantime ?? null,
    merkle_root: header.merkleroot,
    min_fee: stats.minfee,
    min_fee_rate: stats.minfeerate,
    next_block: header.nextblockhash ?? null,
    nonce: header.nonce,
    previous_block: header.previousblockhash ?? null,
    subsidy: stats.subsidy,
    target: targetOf(header.bits),
    timestamp: header.time,
    total_fee: stats.totalfee,
    total_size: stats.total_size,
    total_weight: stats.total_weight,
    transaction_count: header.nTx,
    version: header.version >>> 0,
  }
}

/** Expands a compact target to 64 hex digits, in the byte order of block hashes. */
function targetOf(bits: string): string {
  const compact = Number.parseInt(bits, 16)
  const mantissa = BigInt(compact & 0x7fffff)
  const shift = BigInt(8 * ((compact >>> 24) - 3))
  const target = shift >= 0n ? mantissa << shift : mantissa >> -shift
  return target.toString(16).padStart(64, '0')
}
