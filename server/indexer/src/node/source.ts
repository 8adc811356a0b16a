import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { RawBlock } from '@ordbook/bitcoin/raw-block.ts'
import type { ConfirmedTx } from '@ordbook/bitcoin/rune-trace.ts'
import type { Tx, TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { BlockHeader, BlockStats } from './block-facts.ts'
import type { Limits } from './limits.ts'

/**
 * Source of chain data that also broadcasts transactions. Throws `unavailable` on a timeout, and SourceFault for errors of the source. Code
 * declares only the interfaces it needs. `open-source.ts` lists the implementations.
 */
export interface ChainSource
  extends BlockSource,
    BlockArchive,
    CoinSource,
    TransactionSource,
    MempoolSource,
    NotificationSource,
    FeeSource,
    Broadcaster {
  /** Host and port of the source, without credentials. */
  readonly host: string
  within(limits: Limits): ChainSource
}

export interface Tip {
  /** Core's chain name: `main`, `test`, `signet`, `regtest`. */
  chain: string
  blocks: number
  bestblockhash: string
}

export interface BlockSource {
  blockchainInfo(): Promise<Tip>
  /** Returns the hash of the active block at a height; null above the tip. */
  blockHash(height: number): Promise<string | null>
  /** Returns the hashes of active blocks from height `from` to `to`, or to the tip if that is lower. */
  blockHashes(from: number, to: number): Promise<string[]>
  /** Returns a block with the outputs it spends. */
  block(hash: string): Promise<RawBlock>
  /** Returns the number of transactions in the chain up to a block; null if it is unknown. */
  transactionCount(hash: string): Promise<number | null>
}

/** Data of old blocks and transactions, for recursive content. */
export interface BlockArchive {
  blockTxids(hash: string): Promise<string[]>
  blockHex(hash: string): Promise<string>
  /** Returns a transaction in hex, also from the mempool. */
  transactionHex(txid: string): Promise<string>
  blockHeader(hash: string): Promise<BlockHeader>
  /** Slow: the source reads the whole block. */
  blockStats(hash: string): Promise<BlockStats>
  /** Returns a confirmed output, spent or unspent; null if unknown. */
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
  /** Like `txOut`, for several outputs, in batches. */
  txOuts(outpoints: readonly Outpoint[], options?: { mempool: boolean }): Promise<(TxOut | null)[]>
  /** Returns whether each output is unspent, also in the mempool. */
  areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]>
  /** Returns the confirmed unspent outputs of a script. Can take minutes. */
  unspentOf(script: Uint8Array): Promise<Unspent[]>
}

export interface TransactionSource {
  transaction(txid: string): Promise<Tx | null>
  /** Returns a transaction of the block at a height. Throws SourceFault if it is not there. */
  confirmedTransaction(txid: string, height: number): Promise<ConfirmedTx>
}

export interface MempoolFamily {
  depends: string[]
  /** Descendants in the mempool, including the transaction itself. */
  descendants: number
  /** Size in vB and fee, without relatives. */
  vsize: number
  feeSats: number
}

export interface MempoolSource {
  /** Returns the txid of the mempool transaction that spends an outpoint, or null. */
  spenderInMempool(outpoint: Outpoint): Promise<string | null>
  /** Like `spenderInMempool`, for several outpoints in one call. */
  spendersInMempool(outpoints: readonly Outpoint[]): Promise<(string | null)[]>
  isInMempool(txid: string): Promise<boolean>
  mempoolFamily(txid: string): Promise<MempoolFamily | null>
  mempoolTxids(): Promise<string[]>
  /**
   * Yields mempool transactions in batches of at most `part`. A transaction that left the mempool is null.
   */
  transactions(txids: readonly string[], part: number): AsyncIterable<[string, Tx | null][]>
}

export interface Notifications {
  /** What is published, such as `hashblock`. */
  topic: string
  /** ZMQ endpoint, such as `tcp://127.0.0.1:28332`. */
  address: string
}

export interface NotificationSource {
  /** Returns where the source publishes new blocks and transactions; empty if it does not. */
  notifications(): Promise<Notifications[]>
}

export interface FeeSource {
  /** Returns the estimated fee rate in sat/vB to confirm within `blocks`, or null. */
  feeRate(blocks: number): Promise<number | null>
  /** Returns the minimum fee rates of mempool and relay, in sat/vB. */
  leastRates(): Promise<{ mempoolSatVb: number; relaySatVb: number }>
}

export interface PackageVerdict {
  ok: boolean
  /** Coins whose script rejected the witness. Core reports them since version 29. */
  refused: Outpoint[]
  reasons: Map<string, string>
}

export interface Broadcaster {
  /** Tests whether the mempool would accept transactions, in order. Transactions already in the mempool count as accepted. */
  testPackage(hexes: readonly string[]): Promise<PackageVerdict>
  /** Broadcasts transactions, parents first. Returns a verdict instead of throwing if they are rejected. */
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
