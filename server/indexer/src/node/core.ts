import { bytesToHex, compactSize, hexToBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { encodeSpent, type RawBlock, readBlock } from '@ordbook/bitcoin/raw-block.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import type { Reader } from './answers.ts'
import type { BlockHeader, BlockStats } from './block-facts.ts'
import * as answers from './core-answers.ts'
import { outputOf } from './core-answers.ts'
import type { Limits } from './limits.ts'
import { Rpc, RpcFault, TooLarge } from './rpc.ts'
import { CoinScans } from './scan.ts'
import type { ChainSource, MempoolFamily, PackageVerdict, Tip, TxOut, Unspent } from './source.ts'
import { verdictOf } from './verdict.ts'

/** Default timeout in milliseconds: user requests wait for most of these calls. */
const QUICK = 5000
/** Timeout for packages, which are validated completely. */
const PACKAGE = 10_000
/** Timeout for blocks and the whole mempool, for which no user request waits. */
const LONG = 30_000

/** Maximum bytes per batch of mempool transactions: one transaction of four million bytes fits, in hex. */
const MAX_BYTES = 10 * 2 ** 20

const GENESIS_TXID = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'

/** A Bitcoin node, through Core's JSON-RPC. Calls throw a Fault (unavailable) on a timeout, RpcFault if the node returns an error. */
export class CoreSource implements ChainSource {
  /** Shared by all views of a node. */
  private readonly shared: { restOffers: boolean | null } = { restOffers: null }
  private readonly rpc: Rpc
  private readonly scans: CoinScans

  /** `url` contains user and password. */
  constructor(url: string) {
    this.rpc = new Rpc(url)
    this.scans = new CoinScans(this.rpc)
  }

  /** Host and port of the node, without credentials. */
  get host(): string {
    return this.rpc.host
  }

  /** Returns a view of the same node with these limits. */
  within(limits: Limits): CoreSource {
    return Object.assign(Object.create(this) as CoreSource, { rpc: this.rpc.within(limits) })
  }

  /** Sends one call and parses the result. */
  call<T>(read: Reader<T>, method: string, ...params: unknown[]): Promise<T> {
    return this.rpc.call(QUICK, method, params, read)
  }

  blockchainInfo(): Promise<Tip> {
    return this.call(answers.chainInfo, 'getblockchaininfo')
  }

  /** Hash of the active block at a height; null past the tip. */
  async blockHash(height: number): Promise<string | null> {
    try {
      return await this.call(answers.hash, 'getblockhash', height)
    } catch (error) {
      if (error instanceof RpcFault && error.code === -8) return null
      throw error
    }
  }

  /** Hashes of the active blocks from height `from` to `to`, or to the tip if that is lower. */
  async blockHashes(from: number, to: number): Promise<string[]> {
    const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    const calls = heights.map((height) => [height])
    const found = await this.rpc.batch(QUICK, 'getblockhash', calls, answers.hash)
    const past = found.indexOf(null)
    return found.slice(0, past === -1 ? undefined : past).filter((hash) => hash !== null)
  }

  /**
   * A block with the outputs it spends. Uses binary REST if the node offers it (Core 30 or later, `rest=1`), otherwise RPC, which takes
   * about twelve times as long.
   */
  async block(hash: string): Promise<RawBlock> {
    if (this.shared.restOffers !== false) {
      const [block, spent] = await Promise.all([
        this.rpc.rest(`block/${hash}.bin`, LONG),
        this.rpc.rest(`spenttxouts/${hash}.bin`, LONG),
      ])
      if (block && spent) {
        this.shared.restOffers = true
        return readBlock(block, spent)
      }
      // If REST worked before, the node lost this block in a reorg. RPC confirms that.
      this.shared.restOffers ??= false
    }
    return this.blockByRpc(hash)
  }

  /** The same with RPC only. */
  async blockByRpc(hash: string): Promise<RawBlock> {
    const [header, { tx: transactions }] = await Promise.all([
      this.rpc.call(LONG, 'getblockheader', [hash, false], answers.text),
      this.rpc.call(LONG, 'getblock', [hash, 3], answers.blockWithPrevouts),
    ])
    return readBlock(
      joinBytes([
        hexToBytes(header),
        compactSize(transactions.length),
        ...transactions.map((tx) => hexToBytes(tx.hex)),
      ]),
      encodeSpent(
        transactions.map(({ vin }) => vin.flatMap(({ prevout }) => (prevout ? [outputOf(prevout)] : []))),
      ),
    )
  }

  async blockTxids(hash: string): Promise<string[]> {
    return (await this.call(answers.blockTxids, 'getblock', hash)).tx
  }

  blockHex(hash: string): Promise<string> {
    return this.call(answers.text, 'getblock', hash, 0)
  }

  async transactionHex(txid: string): Promise<string> {
    // The node does not return the genesis coinbase by its txid.
    if (txid === GENESIS_TXID) {
      const hash = await this.call(answers.hash, 'getblockhash', 0)
      const block = await this.call(answers.blockWithHexes, 'getblock', hash, 2)
      const [first] = block.tx
      if (first?.txid === txid) return first.hex
    }
    return this.call(answers.text, 'getrawtransaction', txid)
  }

  blockHeader(hash: string): Promise<BlockHeader> {
    return this.call(answers.blockHeader, 'getblockheader', hash)
  }

  blockStats(hash: string): Promise<BlockStats> {
    return this.call(answers.blockStats, 'getblockstats', hash)
  }

  async confirmedOutput({ txid, vout }: Outpoint): Promise<TxOutput | null> {
    try {
      const tx = await this.call(answers.transactionInBlock, 'getrawtransaction', txid, true)
      const output = tx.blockhash === undefined ? undefined : tx.vout[vout]
      return output ? outputOf(output) : null
    } catch (error) {
      if (error instanceof RpcFault) return null
      throw error
    }
  }

  /** Whether blocks are read by REST; null before the first block. */
  get byRest(): boolean | null {
    return this.shared.restOffers
  }

  /** An unspent output; null if it is unknown or spent (by default also in the mempool). */
  async txOut(
    { txid, vout }: Outpoint,
    options: { mempool: boolean } = { mempool: true },
  ): Promise<TxOut | null> {
    const found = await this.call(answers.unspentOutput, 'gettxout', txid, vout, options.mempool)
    return found && { ...outputOf(found), confirmations: found.confirmations, coinbase: found.coinbase }
  }

  /** Whether each output exists and is unspent, including by the mempool. */
  async areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]> {
    const calls = outpoints.map(({ txid, vout }) => [txid, vout, true])
    const found = await this.rpc.batch(QUICK, 'gettxout', calls, answers.unspentOutput)
    return found.map((output) => output !== null)
  }

  /** Txid of the mempool transaction that spends an outpoint; null if there is none. */
  async spenderInMempool({ txid, vout }: Outpoint): Promise<string | null> {
    const [found] = await this.call(answers.spenders, 'gettxspendingprevout', [{ txid, vout }])
    return found?.spendingtxid ?? null
  }

  async isInMempool(txid: string): Promise<boolean> {
    try {
      await this.call(answers.anything, 'getmempoolentry', txid)
      return true
    } catch (error) {
      if (error instanceof RpcFault && error.code === -5) return false
      throw error
    }
  }

  /**
   * A mempool transaction's direct parents in the mempool, number of descendants including itself, size in vB and fee in sats; null if it
   * is not in the mempool.
   */
  async mempoolFamily(txid: string): Promise<MempoolFamily | null> {
    try {
      const { depends, descendantcount, vsize, fees } = await this.call(
        answers.mempoolEntry,
        'getmempoolentry',
        txid,
      )
      return { depends, descendants: descendantcount, vsize, feeSats: satsOfBtc(fees.base) }
    } catch (error) {
      if (error instanceof RpcFault && error.code === -5) return null
      throw error
    }
  }

  /** A transaction, if the node can find it (in the mempool, or with a transaction index); otherwise null. */
  async transaction(txid: string): Promise<Tx | null> {
    try {
      return decodeTransaction(await this.call(answers.text, 'getrawtransaction', txid))
    } catch (error) {
      if (error instanceof RpcFault) return null
      throw error
    }
  }

  mempoolTxids(): Promise<string[]> {
    return this.rpc.call(LONG, 'getrawmempool', [], answers.hashes)
  }

  /** Mempool transactions in batches of at most `part`, smaller if they are too large. A transaction that left the mempool is null. */
  async *transactions(txids: readonly string[], part: number): AsyncGenerator<[string, Tx | null][]> {
    let size = part
    for (let at = 0; at < txids.length; ) {
      const some = txids.slice(at, at + size)
      try {
        const calls = some.map((txid) => [txid])
        const hexes = await this.rpc.batch(LONG, 'getrawtransaction', calls, answers.text, MAX_BYTES)
        yield some.map((txid, n) => [txid, hexes[n] ? decodeTransaction(hexes[n]) : null])
        at += some.length
        size = Math.min(part, size * 2)
      } catch (error) {
        if (!(error instanceof TooLarge) || size === 1) throw error
        size = Math.ceil(size / 4)
      }
    }
  }

  /** Confirmed unspent outputs of a script, from a scan of the whole UTXO set: takes minutes on mainnet (scan.ts). */
  unspentOf(script: Uint8Array): Promise<Unspent[]> {
    return this.scans.of(bytesToHex(script), this.rpc.signal)
  }

  /** Estimated fee rate in sat/vB to confirm within `blocks`; null if the node has no estimate. */
  async feeRate(blocks: number): Promise<number | null> {
    const { feerate } = await this.call(answers.feeEstimate, 'estimatesmartfee', blocks)
    return feerate === undefined ? null : satsOfBtc(feerate) / 1000
  }

  /** Minimum fee rates in sat/vB: of the mempool now, and of the relay policy. */
  async leastRates(): Promise<{ mempoolSatVb: number; relaySatVb: number }> {
    const info = await this.call(answers.mempoolInfo, 'getmempoolinfo')
    return {
      mempoolSatVb: satsOfBtc(info.mempoolminfee) / 1000,
      relaySatVb: satsOfBtc(info.minrelaytxfee) / 1000,
    }
  }

  /** Whether the mempool would accept these transactions, in order. Those already in the mempool count as accepted. */
  async testPackage(hexes: readonly string[]): Promise<PackageVerdict> {
    const results = await this.rpc.call(PACKAGE, 'testmempoolaccept', [hexes], answers.packageTest)
    return verdictOf(
      results.map((each) => [
        each.txid,
        each.allowed ? null : (each['reject-reason'] ?? each['package-error'] ?? 'not validated'),
        each['reject-details'],
      ]),
    )
  }

  /** Broadcasts transactions, parents first; a single one with `sendrawtransaction`. A rejection is returned as a verdict, not thrown. */
  async submitPackage(hexes: readonly string[]): Promise<PackageVerdict> {
    try {
      const [only] = hexes
      if (hexes.length === 1 && only !== undefined) {
        await this.rpc.call(PACKAGE, 'sendrawtransaction', [only], answers.anything)
        return verdictOf([])
      }
      const result = await this.rpc.call(PACKAGE, 'submitpackage', [hexes], answers.packageResult)
      const reasons: [string, string | null][] = Object.values(result['tx-results'] ?? {}).map((each) => [
        each.txid,
        each.error ?? null,
      ])
      const verdict = verdictOf(reasons)
      if (!verdict.ok || result.package_msg === 'success' || reasons.length > 0) return verdict
      return verdictOf([['package', String(result.package_msg)]])
    } catch (error) {
      // Core also returns an error, for example if a block includes the package between its check and its submission.
      if (!(error instanceof RpcFault)) throw error
      return verdictOf([['package', error.message]])
    }
  }
}
