import { bytesToHex, compactSize, hexToBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { encodeSpent, type RawBlock, readBlock } from '@ordbook/bitcoin/raw-block.ts'
import type { ConfirmedTx } from '@ordbook/bitcoin/rune-trace.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { TooLarge } from '@ordbook/process/http.ts'
import type { Reader } from './answers.ts'
import type { BlockHeader, BlockStats } from './block-facts.ts'
import * as answers from './core-answers.ts'
import { outputOf, txOutOf } from './core-answers.ts'
import type { Limits } from './limits.ts'
import { Rpc, RpcFault } from './rpc.ts'
import { CoinScans } from './scan.ts'
import {
  type ChainSource,
  type MempoolFamily,
  type Notifications,
  type PackageVerdict,
  SourceFault,
  type Tip,
  type TxOut,
  type Unspent,
} from './source.ts'
import { verdictOf } from './verdict.ts'

/** Default timeout in milliseconds. Short, because users wait for most calls. */
const DEFAULT_TIMEOUT_MS = 5000
/** Timeout for packages, which the node validates fully. */
const PACKAGE_TIMEOUT_MS = 10_000
/** Timeout for blocks and the whole mempool, which no user waits for. */
const LONG_TIMEOUT_MS = 30_000
/** Timeout of a dump. The node hashes its UTXO set first, and writes as fast as the reader reads. */
const DUMP_TIMEOUT_MS = 2 * 3_600_000

/** Maximum response size per batch of transactions. The largest transaction, four million bytes in hex, fits. */
const MAX_BYTES = 10 * 2 ** 20

const METHOD_NOT_FOUND = -32_601
const GENESIS_TXID = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'

/** Chain source for Bitcoin Core's JSON-RPC. Throws `unavailable` on a timeout, and RpcFault for errors of the node. */
export class CoreSource implements ChainSource {
  private readonly shared: { hasRest: boolean | null } = { hasRest: null }
  private readonly rpc: Rpc
  private readonly scans: CoinScans

  /** `url` includes the user and password. */
  constructor(url: string) {
    this.rpc = new Rpc(url)
    this.scans = new CoinScans(this.rpc)
  }

  get host(): string {
    return this.rpc.host
  }

  within(limits: Limits): CoreSource {
    return Object.assign(Object.create(this) as CoreSource, { rpc: this.rpc.within(limits) })
  }

  call<T>(read: Reader<T>, method: string, ...params: unknown[]): Promise<T> {
    return this.rpc.call(DEFAULT_TIMEOUT_MS, method, params, read)
  }

  blockchainInfo(): Promise<Tip> {
    return this.call(answers.chainInfo, 'getblockchaininfo')
  }

  async blockHash(height: number): Promise<string | null> {
    try {
      return await this.call(answers.hash, 'getblockhash', height)
    } catch (error) {
      if (error instanceof RpcFault && error.code === -8) return null
      throw error
    }
  }

  async blockHashes(from: number, to: number): Promise<string[]> {
    const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    const calls = heights.map((height) => [height])
    const found = await this.rpc.batch(DEFAULT_TIMEOUT_MS, 'getblockhash', calls, answers.hash)
    const past = found.indexOf(null)
    return found.slice(0, past === -1 ? undefined : past).filter((hash) => hash !== null)
  }

  /**
   * Returns a block with the outputs it spends. Uses binary REST if available (Core 30, `rest=1`), because RPC is about twelve times
   * slower.
   */
  async block(hash: string): Promise<RawBlock> {
    if (this.shared.hasRest !== false) {
      const [block, spent] = await Promise.all([
        this.rpc.rest(`block/${hash}.bin`, LONG_TIMEOUT_MS),
        this.rpc.rest(`spenttxouts/${hash}.bin`, LONG_TIMEOUT_MS),
      ])
      if (block && spent) {
        this.shared.hasRest = true
        return readBlock(block, spent)
      }
    }
    const block = await this.blockByRpc(hash)
    // If REST worked before, the node has just received the block.
    this.shared.hasRest ??= false
    return block
  }

  async blockByRpc(hash: string): Promise<RawBlock> {
    const [header, { tx: transactions }] = await Promise.all([
      this.rpc.call(LONG_TIMEOUT_MS, 'getblockheader', [hash, false], answers.text),
      this.rpc.call(LONG_TIMEOUT_MS, 'getblock', [hash, 3], answers.blockWithPrevouts),
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

  async transactionCount(hash: string): Promise<number | null> {
    return (await this.call(answers.chainStats, 'getchaintxstats', 0, hash)).txcount ?? null
  }

  async blockTxids(hash: string): Promise<string[]> {
    return (await this.call(answers.blockTxids, 'getblock', hash)).tx
  }

  blockHex(hash: string): Promise<string> {
    return this.call(answers.text, 'getblock', hash, 0)
  }

  async transactionHex(txid: string): Promise<string> {
    // `getrawtransaction` does not return the genesis coinbase.
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

  async confirmedTransaction(txid: string, height: number): Promise<ConfirmedTx> {
    const hash = await this.blockHash(height)
    if (hash === null) throw new SourceFault('unknown', `there is no block ${height}`)
    const { hex, vin } = await this.call(
      answers.transactionWithPrevouts,
      'getrawtransaction',
      ...[txid, 2, hash],
    )
    const inputHeights = vin.map(({ coinbase, prevout }) => {
      if (coinbase === undefined && !prevout)
        throw new SourceFault('unindexed', `the node has no spent outputs of block ${height}`)
      return prevout?.height ?? 0
    })
    return { tx: decodeTransaction(hex), inputHeights }
  }

  /** Returns whether blocks are read by REST; null before the first block. */
  get byRest(): boolean | null {
    return this.shared.hasRest
  }

  async txOut(
    { txid, vout }: Outpoint,
    options: { mempool: boolean } = { mempool: true },
  ): Promise<TxOut | null> {
    const found = await this.call(answers.unspentOutput, 'gettxout', txid, vout, options.mempool)
    return found && txOutOf(found)
  }

  async areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]> {
    return (await this.txOuts(outpoints)).map((output) => output !== null)
  }

  async txOuts(
    outpoints: readonly Outpoint[],
    options: { mempool: boolean } = { mempool: true },
  ): Promise<(TxOut | null)[]> {
    const calls = outpoints.map(({ txid, vout }) => [txid, vout, options.mempool])
    const found = await this.rpc.batch(DEFAULT_TIMEOUT_MS, 'gettxout', calls, answers.unspentOutput)
    return found.map((each) => each && txOutOf(each))
  }

  async spenderInMempool(outpoint: Outpoint): Promise<string | null> {
    return (await this.spendersInMempool([outpoint]))[0]!
  }

  async spendersInMempool(outpoints: readonly Outpoint[]): Promise<(string | null)[]> {
    const coins = outpoints.map(({ txid, vout }) => ({ txid, vout }))
    const found = await this.call(answers.spenders, 'gettxspendingprevout', coins)
    return outpoints.map((_, n) => found[n]?.spendingtxid ?? null)
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
   * Returns a mempool transaction's parents, number of descendants including itself, size in vB and fee in sats; null if it is not in the
   * mempool.
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

  /** Returns a transaction in the mempool or, with a transaction index, in a block; otherwise null. */
  async transaction(txid: string): Promise<Tx | null> {
    try {
      return decodeTransaction(await this.call(answers.text, 'getrawtransaction', txid))
    } catch (error) {
      if (error instanceof RpcFault) return null
      throw error
    }
  }

  mempoolTxids(): Promise<string[]> {
    return this.rpc.call(LONG_TIMEOUT_MS, 'getrawmempool', [], answers.hashes)
  }

  /** Reduces the batch size for large transactions. */
  async *transactions(txids: readonly string[], part: number): AsyncGenerator<[string, Tx | null][]> {
    let size = part
    for (let at = 0; at < txids.length; ) {
      const batch = txids.slice(at, at + size)
      try {
        const calls = batch.map((txid) => [txid])
        const hexes = await this.rpc.batch(
          LONG_TIMEOUT_MS,
          'getrawtransaction',
          calls,
          answers.text,
          MAX_BYTES,
        )
        yield batch.map((txid, n) => [txid, hexes[n] ? decodeTransaction(hexes[n]) : null])
        at += batch.length
        size = Math.min(part, size * 2)
      } catch (error) {
        if (!(error instanceof TooLarge) || size === 1) throw error
        size = Math.ceil(size / 4)
      }
    }
  }

  async notifications(): Promise<Notifications[]> {
    try {
      const found = await this.call(answers.notifications, 'getzmqnotifications')
      return found.map(({ type, address }) => ({ topic: type.replace(/^pub/, ''), address }))
    } catch (error) {
      // Nodes built without ZMQ do not have the method.
      if (error instanceof RpcFault && error.code === METHOD_NOT_FOUND) return []
      throw error
    }
  }

  /** Scans the UTXO set for a script, which takes minutes on mainnet. */
  unspentOf(script: Uint8Array): Promise<Unspent[]> {
    return this.scans.of(bytesToHex(script), this.rpc.signal)
  }

  /** Lets the node write its UTXO set to a file or pipe, by its absolute path. Takes minutes on mainnet. */
  dumpUtxos(path: string): Promise<answers.UtxoDump> {
    return this.rpc.call(DUMP_TIMEOUT_MS, 'dumptxoutset', [path, 'latest'], answers.utxoDump)
  }

  async feeRate(blocks: number): Promise<number | null> {
    const { feerate } = await this.call(answers.feeEstimate, 'estimatesmartfee', blocks)
    return feerate === undefined ? null : satsOfBtc(feerate) / 1000
  }

  async leastRates(): Promise<{ mempoolSatVb: number; relaySatVb: number }> {
    const info = await this.call(answers.mempoolInfo, 'getmempoolinfo')
    return {
      mempoolSatVb: satsOfBtc(info.mempoolminfee) / 1000,
      relaySatVb: satsOfBtc(info.minrelaytxfee) / 1000,
    }
  }

  async testPackage(hexes: readonly string[]): Promise<PackageVerdict> {
    const results = await this.rpc.call(PACKAGE_TIMEOUT_MS, 'testmempoolaccept', [hexes], answers.packageTest)
    return verdictOf(
      results.map((result) => [
        result.txid,
        result.allowed ? null : (result['reject-reason'] ?? result['package-error'] ?? 'not validated'),
        result['reject-details'],
      ]),
    )
  }

  async submitPackage(hexes: readonly string[]): Promise<PackageVerdict> {
    try {
      const [only] = hexes
      if (hexes.length === 1 && only !== undefined) {
        await this.rpc.call(PACKAGE_TIMEOUT_MS, 'sendrawtransaction', [only], answers.anything)
        return verdictOf([])
      }
      const result = await this.rpc.call(PACKAGE_TIMEOUT_MS, 'submitpackage', [hexes], answers.packageResult)
      const reasons: [string, string | null][] = Object.values(result['tx-results'] ?? {}).map(
        ({ txid, error }) => [txid, error ?? null],
      )
      const verdict = verdictOf(reasons)
      if (!verdict.ok || result.package_msg === 'success' || reasons.length > 0) return verdict
      return verdictOf([['package', String(result.package_msg)]])
    } catch (error) {
      // Core also returns errors, for example if a block confirms the package in the meantime.
      if (!(error instanceof RpcFault)) throw error
      return verdictOf([['package', error.message]])
    }
  }
}
