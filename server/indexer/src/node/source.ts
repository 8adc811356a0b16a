import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { BlockHeader, BlockStats } from './block-facts.ts'
import type { Limits } from './limits.ts'

/**
 * The interfaces by which the market reads a chain and sends to it, each for one concern: code names the ones that it
 * needs. Every call throws a Fault (unavailable) where the source does not answer in time, and SourceFault where it
 * refuses. `open-source.ts` lists the implementations.
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
  /** The same source, whose calls keep to these limits. */
  within(limits: Limits): ChainSource
}

export interface Tip {
  /** As Core names it: `main`, `test`, `signet`, `regtest`. */
  chain: string
  /** Height of the last block. */
  blocks: number
  bestblockhash: string
}

/** Blocks in the order of the chain: for the follower. */
export interface BlockSource {
  blockchainInfo(): Promise<Tip>
  /** Hash of the active block at a height; null past the tip. */
  blockHash(height: number): Promise<string | null>
  /** Hashes of the active blocks from a height on, up to a height or the tip. */
  blockHashes(from: number, to: number): Promise<string[]>
  /** A whole block with the outputs it spends. */
  block(hash: string): Promise<RawBlock>
}

/** Facts of old blocks and transactions: for recursive content. */
export interface BlockArchive {
  /** Txids of a block, in its order. */
  blockTxids(hash: string): Promise<string[]>
  /** A block in hex. */
  blockHex(hash: string): Promise<string>
  /** A transaction in hex, of the mempool too. */
  transactionHex(txid: string): Promise<string>
  blockHeader(hash: string): Promise<BlockHeader>
  /** Takes long: the source reads the whole block for them. */
  blockStats(hash: string): Promise<BlockStats>
  /** An output of a confirmed transaction, spent or not; null where the source knows of none. */
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
  /** An unspent output; null when it is spent (in the mempool too, by default) or unknown. */
  txOut(outpoint: Outpoint, options?: { mempool: boolean }): Promise<TxOut | null>
  /** Whether each of these outputs is there and spent by nothing, the mempool included. */
  areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]>
  /** Confirmed unspent outputs of a script; may take minutes. */
  unspentOf(script: Uint8Array): Promise<Unspent[]>
}

export interface TransactionSource {
  /** A whole transaction, where the source can find it; else null. */
  transaction(txid: string): Promise<Tx | null>
}

/** A transaction of the mempool. */
export interface MempoolFamily {
  /** Its direct parents in the mempool. */
  depends: string[]
  /** The transactions that depend on it, itself included. */
  descendants: number
  /** Its own size in vB, and its own fee. */
  vsize: number
  feeSats: number
}

export interface MempoolSource {
  /** Txid of the mempool transaction that spends an outpoint; null when none does. */
  spenderInMempool(outpoint: Outpoint): Promise<string | null>
  isInMempool(txid: string): Promise<boolean>
  mempoolFamily(txid: string): Promise<MempoolFamily | null>
  mempoolTxids(): Promise<string[]>
  /** Whole transactions of the mempool, null where they are not there any more, in parts of at most `part`. */
  transactions(txids: readonly string[], part: number): AsyncIterable<[string, Tx | null][]>
}

export interface FeeSource {
  /** Estimated fee rate in sat/vB to confirm within `blocks`; null while the source has no estimate. */
  feeRate(blocks: number): Promise<number | null>
  /** The least fee rates in sat/vB: of the mempool now, and of anything that the source relays. */
  leastRates(): Promise<{ mempoolSatVb: number; relaySatVb: number }>
}

export interface PackageVerdict {
  ok: boolean
  /** Coins whose scripts refuse the witness that spends them. Nodes before Core 29 do not say which. */
  refused: Outpoint[]
  /** The reasons of refusal, by txid. */
  reasons: Map<string, string>
}

export interface Broadcaster {
  /** Whether the mempool would take these transactions, in order. Those already there count as taken. */
  testPackage(hexes: readonly string[]): Promise<PackageVerdict>
  /** Sends transactions, parents first. A refusal is a verdict, no error. */
  submitPackage(hexes: readonly string[]): Promise<PackageVerdict>
}

/** The source answered with a refusal. */
export class SourceFault extends Error {
  /** `unknown`: it has no such block or transaction; `unindexed`: it would need an index of transactions to say. */
  readonly reason: 'unknown' | 'unindexed' | 'refused'
  constructor(reason: SourceFault['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
