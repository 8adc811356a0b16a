import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { BlockHeader, BlockStats } from './block-facts.ts'
import type { Limits } from './limits.ts'

/**
 * Interfaces for reading a chain and broadcasting to it, one per concern: code declares those it needs. Calls throw a Fault (unavailable)
 * on a timeout, SourceFault if the source returns an error. `open-source.ts` lists the implementations.
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
  /** Returns a view of the same source with these limits. */
  within(limits: Limits): ChainSource
}

export interface Tip {
  /** Core's name: `main`, `test`, `signet`, `regtest`. */
  chain: string
  /** Height of the last block. */
  blocks: number
  bestblockhash: string
}

/** Blocks in chain order, for the follower. */
export interface BlockSource {
  blockchainInfo(): Promise<Tip>
  /** Hash of the active block at a height; null past the tip. */
  blockHash(height: number): Promise<string | null>
  /** Hashes of the active blocks from height `from` to `to`, or to the tip if that is lower. */
  blockHashes(from: number, to: number): Promise<string[]>
  /** A block with the outputs it spends. */
  block(hash: string): Promise<RawBlock>
}

/** Data of old blocks and transactions, for recursive content. */
export interface BlockArchive {
  /** Txids of a block, in order. */
  blockTxids(hash: string): Promise<string[]>
  blockHex(hash: string): Promise<string>
  /** A transaction in hex, including mempool transactions. */
  transactionHex(txid: string): Promise<string>
  blockHeader(hash: string): Promise<BlockHeader>
  /** Slow: the source reads the whole block. */
  blockStats(hash: string): Promise<BlockStats>
  /** An output of a confirmed transaction, spent or not; null if unknown. */
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
  /** An unspent output; null if it is unknown or spent (by default also in the mempool). */
  txOut(outpoint: Outpoint, options?: { mempool: boolean }): Promise<TxOut | null>
  /** Whether each output exists and is unspent, including by the mempool. */
  areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]>
  /** Confirmed unspent outputs of a script; may take minutes. */
  unspentOf(script: Uint8Array): Promise<Unspent[]>
}

export interface TransactionSource {
  /** A transaction, if the source can find it; otherwise null. */
  transaction(txid: string): Promise<Tx | null>
}

/** A mempool transaction's relatives and size. */
export interface MempoolFamily {
  /** Its direct parents in the mempool. */
  depends: string[]
  /** Number of mempool transactions that depend on it, including itself. */
  descendants: number
  /** Its own size in vB, and its own fee. */
  vsize: number
  feeSats: number
}

export interface MempoolSource {
  /** Txid of the mempool transaction that spends an outpoint; null if there is none. */
  spenderInMempool(outpoint: Outpoint): Promise<string | null>
  isInMempool(txid: string): Promise<boolean>
  mempoolFamily(txid: string): Promise<MempoolFamily | null>
  mempoolTxids(): Promise<string[]>
  /** Mempool transactions in batches of at most `part`. A transaction that left the mempool is null. */
  transactions(txids: readonly string[], part: number): AsyncIterable<[string, Tx | null][]>
}

export interface FeeSource {
  /** Estimated fee rate in sat/vB to confirm within `blocks`; null if the source has no estimate. */
  feeRate(blocks: number): Promise<number | null>
  /** Minimum fee rates in sat/vB: of the mempool now, and of the relay policy. */
  leastRates(): Promise<{ mempoolSatVb: number; relaySatVb: number }>
}

export interface PackageVerdict {
  ok: boolean
  /** Coins whose script rejected the witness. Nodes before Core 29 do not report them. */
  refused: Outpoint[]
  /** Reasons of rejection, by txid. */
  reasons: Map<string, string>
}

export interface Broadcaster {
  /** Whether the mempool would accept these transactions, in order. Those already in the mempool count as accepted. */
  testPackage(hexes: readonly string[]): Promise<PackageVerdict>
  /** Broadcasts transactions, parents first. A rejection is returned as a verdict, not thrown. */
  submitPackage(hexes: readonly string[]): Promise<PackageVerdict>
}

/** The source returned an error. */
export class SourceFault extends Error {
  /** `unknown`: no such block or transaction; `unindexed`: the lookup needs a transaction index. */
  readonly reason: 'unknown' | 'unindexed' | 'refused'
  constructor(reason: SourceFault['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
