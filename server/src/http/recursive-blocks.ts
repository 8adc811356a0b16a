import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import type { Node } from '../chain/node.ts'
import { RpcFault } from '../chain/rpc.ts'
import { missing, unavailable } from '../errors.ts'
import { Gate } from './gate.ts'

/** Blocks and transactions that recursive content may ask for, as the node tells them. */
export class NodeBlocks {
  private readonly node: Node
  /** A whole block is 8 MB in hex. */
  private readonly gate = new Gate({ running: 4, waiting: 100 })
  /** Statistics by block hash: the node reads a whole block for them, and they never change. */
  private readonly stats = new Map<string, BlockStats>()

  constructor(node: Node) {
    this.node = node
  }

  /** A block in hex by its hash. Throws missing or unavailable. */
  blockHex(hash: string): Promise<string> {
    return this.ask(`block ${hash}`, () => this.node.call<string>('getblock', hash, 0))
  }

  /** A transaction in hex, of the mempool too. Throws missing, or unavailable where the node keeps no `txindex`. */
  async transactionHex(txid: string): Promise<string> {
    return this.ask(`transaction ${txid}`, async () => {
      // The node refuses the coinbase of the first block.
      if (txid === GENESIS_TXID) {
        const hash = await this.node.call<string>('getblockhash', 0)
        const block = await this.node.call<{ tx: { txid: string; hex: string }[] }>('getblock', hash, 2)
        const [first] = block.tx
        if (first?.txid === txid) return first.hex
      }
      return this.node.call<string>('getrawtransaction', txid)
    })
  }

  /** All that ord tells of a block under /r/blockinfo. Throws missing or unavailable. */
  blockInfo(hash: string) {
    return this.ask(`block ${hash}`, async () => {
      const header = await this.node.call<BlockHeader>('getblockheader', hash)
      const stats = this.stats.get(hash) ?? (await this.node.call<BlockStats>('getblockstats', hash))
      this.keep(hash, stats)
      return describeBlock(header, stats)
    })
  }

  /** Value in sats of a confirmed output that can never be spent (OP_RETURN); null where the node knows of none. */
  async unspendableValue({ txid, vout }: Outpoint): Promise<number | null> {
    try {
      const tx = await this.gate.run(() => this.node.call<NodeTransaction>('getrawtransaction', txid, true))
      const output = tx.vout[vout]
      return tx.blockhash && output?.scriptPubKey.hex.startsWith('6a') ? satsOfBtc(output.value) : null
    } catch (error) {
      if (error instanceof RpcFault) return null
      throw error
    }
  }

  private keep(hash: string, stats: BlockStats): void {
    this.stats.delete(hash)
    this.stats.set(hash, stats)
    if (this.stats.size > MOST_STATS) this.stats.delete(this.stats.keys().next().value!)
  }

  private async ask<T>(what: string, question: () => Promise<T>): Promise<T> {
    try {
      return await this.gate.run(question)
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error
      if (error.message.includes('-txindex'))
        throw unavailable('The Bitcoin node of this server keeps no index of transactions (txindex=1)')
      if (error.code === NOT_FOUND || error.code === OUT_OF_RANGE) throw missing(`${what} not found`)
      throw unavailable(`The Bitcoin node cannot tell about ${what}`, error)
    }
  }
}

const GENESIS_TXID = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'
/** Core's RPC_INVALID_ADDRESS_OR_KEY and RPC_INVALID_PARAMETER. */
const NOT_FOUND = -5
const OUT_OF_RANGE = -8
const MOST_STATS = 1000

/** The part of a verbose `getrawtransaction` that is read. */
interface NodeTransaction {
  blockhash?: string
  vout: { value: number; scriptPubKey: { hex: string } }[]
}

/** The part of `getblockheader` that is passed on. */
interface BlockHeader {
  bits: string
  chainwork: string
  confirmations: number
  difficulty: number
  hash: string
  height: number
  mediantime?: number
  merkleroot: string
  nTx: number
  nextblockhash?: string
  nonce: number
  previousblockhash?: string
  time: number
  version: number
}

/** The part of `getblockstats` that is passed on; amounts in sats, rates in sat/vB. */
interface BlockStats {
  avgfee: number
  avgfeerate: number
  feerate_percentiles: number[]
  maxfee: number
  maxfeerate: number
  maxtxsize: number
  medianfee: number
  minfee: number
  minfeerate: number
  subsidy: number
  total_size: number
  total_weight: number
  totalfee: number
}

/** A block in the keys of ord 0.29. */
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

/** The number that a block's hash must not exceed, from its compact form, in hex as hashes are shown. */
function targetOf(bits: string): string {
  const compact = Number.parseInt(bits, 16)
  const mantissa = BigInt(compact & 0x7fffff)
  const shift = BigInt(8 * ((compact >>> 24) - 3))
  const target = shift >= 0n ? mantissa << shift : mantissa >> -shift
  return target.toString(16).padStart(64, '0')
}
