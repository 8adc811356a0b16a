import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { BlockHeader, BlockStats } from './block-facts.ts'
import type { Limits } from './limits.ts'

/**
 * A source of chain data that also broadcasts transactions. Code declares only the interfaces it needs.
 * Calls throw a Fault (unavailable) on a timeout, and SourceFault if the source returns an error.
 * Implementations are listed in `open-source.ts`.
 */
export interface ChainSource
  extends BlockSource,
    BlockArchive,
    CoinSource,
    TransactionSource,
    MempoolSource,
    FeeSource,
    Broadcaster {
  /** Host and port of the source, without credentials. */
  readonly host: string
  within(limits: Limits): ChainSource
}

export interface Tip {
  /** Name of the chain in Core: `main`, `test`, `signet`, `regtest`. */
  chain: string
  blocks: number
  bestblockhash: string
}

export interface BlockSource {
  blockchainInfo(): Promise<Tip>
  /** Returns the hash of the active block at a height; null above the tip. */
  blockHash(height: number): Promise<string | null>
  /** Returns the hashes of the active blocks from height `from` to `to`, or to the tip if that is lower. */
  blockHashes(from: number, to: number): Promise<string[]>
  /** Returns a block with the outputs it spends. */
  block(hash: string): Promise<RawBlock>
}

/** Data of old blocks and transactions, for recursive content. */
export interface BlockArchive {
  blockTxids(hash: string): Promise<string[]>
  blockHex(hash: string): Promise<string>
  /** Returns a transaction in hex, also from the mempool. */
  transactionHex(txid: string): Promise<string>
  blockHeader(hash: string): Promise<BlockHeader>
  /** Slow, because the source reads the whole block. */
  blockStats(hash: string): Promise<BlockStats>
  /** Returns an output of a confirmed transaction, spent or unspent; null if unknown. */
  confirmedOutput(outpoint: Outpoint): Promise<TxOutput | null>
}

export interface TxOut extends TxOutput {
  confirmations: number
  coinbase: boolean
}

export interface Unspent extends Outpoint {
  valueSats: number
}

export interface CoinSource {
  /** Returns an unspent output; null if it is unknown or spent (by default also in the mempool). */
  txOut(outpoint: Outpoint, options?: { mempool: boolean }): Promise<TxOut | null>
  /** Returns whether each output exists and is unspent, also in the mempool. */
  areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]>
  /** Returns the confirmed unspent outputs of a script. Can take minutes. */
  unspentOf(script: Uint8Array): Promise<Unspent[]>
}

export interface TransactionSource {
  /** Returns a transaction, or null if the source does not have it. */
  transaction(txid: string): Promise<Tx | null>
}

export interface MempoolFamily {
  depends: string[]
  /** Number of descendants in the mempool, including the transaction itself. */
  descendants: number
  /** Size in vB and fee of the transaction, without relatives. */
  vsize: number
  feeSats: number
}

export interface MempoolSource {
  /** Returns the txid of the mempool transaction that spends an outpoint, or null. */
  spenderInMempool(outpoint: Outpoint): Promise<string | null>
  isInMempool(txid: string): Promise<boolean>
  mempoolFamily(txid: string): Promise<MempoolFamily | null>
  mempoolTxids(): Promise<string[]>
  /**
   * Yields mempool transactions in batches of at most `part`. A transaction that left the mempool is null.
   */
  transactions(txids: readonly string[], part: number): AsyncIterable<[string, Tx | null][]>
}

export interface FeeSource {
  /** Returns the estimated fee rate in sat/vB to confirm within `blocks`; null if there is no estimate. */
  feeRate(blocks: number): Promise<number | null>
  /** Returns the minimum fee rates of the mempool and of the relay policy, in sat/vB. */
  leastRates(): Promise<{ mempoolSatVb: number; relaySatVb: number }>
}

export interface PackageVerdict {
  ok: boolean
  /** Coins whose script rejected the witness. Not reported by Core before version 29. */
  refused: Outpoint[]
  reasons: Map<string, string>
}

export interface Broadcaster {
  /**
   * Tests whether the mempool would accept these transactions, in order. Transactions already in the mempool
   * count as accepted.
   */
  testPackage(hexes: readonly string[]): Promise<PackageVerdict>
  /** Broadcasts transactions, parents first. Returns a verdict if they are rejected, instead of throwing. */
  submitPackage(hexes: readonly string[]): Promise<PackageVerdict>
}

export class SourceFault extends Error {
  /** `unknown`: no such block or transaction; `unindexed`: the lookup needs a transaction index. */
  readonly reason: 'unknown' | 'unindexed' | 'refused'
  constructor(reason: SourceFault['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
