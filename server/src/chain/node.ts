import { bytesToHex, compactSize, hexToBytes, joinBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { encodeSpent, type RawBlock, readBlock } from '@ordbook/bitcoin/raw-block.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { unavailable } from '../errors.ts'
import { type Limits, signalOf } from './limits.ts'

/** The node answered with an error; `code` is Core's. */
export class RpcFault extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export interface TxOut extends TxOutput {
  confirmations: number
}

export interface Unspent extends Outpoint {
  valueSats: number
}

export interface PackageVerdict {
  ok: boolean
  /** Why not, by txid. */
  reasons: Map<string, string>
}

/** How long a call may take, in milliseconds: a request waits for most of them. */
const QUICK = 5000
/** Packages are validated whole. */
const PACKAGE = 10_000
/** Blocks and the whole mempool: no request waits for these. */
const LONG = 30_000
/** A scan of all coins. */
const SCAN = 30_000

/** Core's RPC_IN_WARMUP. */
const STARTING = -28

/** Calls that one request carries. */
const BATCH = 500

const ALREADY_THERE = /already[- ]in[- ](mempool|utxo set)|already-known|txn-same-nonwitness-data-in-mempool/i

/**
 * A Bitcoin node, by Core's JSON-RPC. Calls throw a Fault (unavailable) when it does not answer in time, RpcFault when it
 * refuses.
 */
export class Node {
  /** Where the node is, without credentials. */
  readonly host: string
  private readonly url: string
  private readonly authorization: string | null
  private readonly limits: Limits = {}
  /** Shared by all views of one node. */
  private readonly shared: { scanning: Promise<unknown>; restOffers: boolean | null } = {
    scanning: Promise.resolve(),
    restOffers: null,
  }

  /** `url` carries user and password. */
  constructor(url: string) {
    const parsed = new URL(url)
    this.authorization =
      parsed.username === ''
        ? null
        : `Basic ${Buffer.from(`${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`).toString('base64')}`
    parsed.username = ''
    parsed.password = ''
    this.url = parsed.href
    this.host = parsed.host
  }

  /** The same node, whose calls keep to these limits. */
  within(limits: Limits): Node {
    return Object.assign(Object.create(this) as Node, { limits: { ...this.limits, ...limits } })
  }

  /** One raw call. */
  call<T>(method: string, ...params: unknown[]): Promise<T> {
    return this.ask(QUICK, method, ...params)
  }

  private async ask<T>(milliseconds: number, method: string, ...params: unknown[]): Promise<T> {
    const call = { jsonrpc: '1.0', id: 0, method, params }
    const body = await this.post<{ result: T; error: { code: number; message: string } | null }>(
      call,
      milliseconds,
    )
    if (body.error?.code === STARTING)
      throw unavailable(`The Bitcoin node is starting: ${body.error.message}`)
    if (body.error) throw new RpcFault(body.error.code, body.error.message)
    return body.result
  }

  private async post<T>(calls: object, milliseconds: number): Promise<T> {
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(this.authorization ? { authorization: this.authorization } : {}),
        },
        body: JSON.stringify(calls),
        signal: signalOf(this.limits, milliseconds),
      })
      if (response.status === 401 || response.status === 403)
        throw new Error('the node refuses our credentials')
      return (await response.json()) as T
    } catch (cause) {
      throw unavailable('The Bitcoin node does not answer right now; try again shortly', cause)
    }
  }

  blockchainInfo(): Promise<{ chain: string; blocks: number; bestblockhash: string }> {
    return this.call('getblockchaininfo')
  }

  /** Hash of the active block at a height; null past the tip. */
  async blockHash(height: number): Promise<string | null> {
    try {
      return await this.call<string>('getblockhash', height)
    } catch (error) {
      if (error instanceof RpcFault && error.code === -8) return null
      throw error
    }
  }

  /** Hashes of the active blocks from a height on, up to a height or the tip. */
  async blockHashes(from: number, to: number): Promise<string[]> {
    const heights = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
    const answers = await this.batch<string>(
      QUICK,
      'getblockhash',
      heights.map((height) => [height]),
    )
    const past = answers.indexOf(null)
    return (past === -1 ? answers : answers.slice(0, past)) as string[]
  }

  /**
   * A whole block with the outputs it spends: in binary by REST where the node offers both (Core 30 on, `rest=1`), else by
   * RPC, which takes some twelve times as long.
   */
  async block(hash: string): Promise<RawBlock> {
    if (this.shared.restOffers !== false) {
      const [block, spent] = await Promise.all([
        this.rest(`block/${hash}.bin`),
        this.rest(`spenttxouts/${hash}.bin`),
      ])
      if (block && spent) {
        this.shared.restOffers = true
        return readBlock(block, spent)
      }
      // A node that has answered so before has lost this block in a reorg meanwhile: RPC says so.
      this.shared.restOffers ??= false
    }
    return this.blockByRpc(hash)
  }

  /** The same by RPC alone. */
  async blockByRpc(hash: string): Promise<RawBlock> {
    const [header, block] = await Promise.all([
      this.ask<string>(LONG, 'getblockheader', hash, false),
      this.ask<any>(LONG, 'getblock', hash, 3),
    ])
    const transactions: any[] = block.tx
    return readBlock(
      joinBytes([
        hexToBytes(header),
        compactSize(transactions.length),
        ...transactions.map((tx) => hexToBytes(tx.hex)),
      ]),
      encodeSpent(
        transactions.map((tx) =>
          tx.vin
            .filter((input: any) => input.prevout)
            .map(({ prevout }: any) => ({
              valueSats: satsOfBtc(prevout.value),
              script: hexToBytes(prevout.scriptPubKey.hex),
            })),
        ),
      ),
    )
  }

  /** Whether blocks come by REST; null before the first. */
  get byRest(): boolean | null {
    return this.shared.restOffers
  }

  /** Null where the node does not offer it. */
  private async rest(path: string): Promise<Uint8Array | null> {
    try {
      const response = await fetch(new URL(`/rest/${path}`, this.url), {
        signal: signalOf(this.limits, LONG),
      })
      const body = new Uint8Array(await response.arrayBuffer())
      if (response.ok) return body
      // What is only not there yet is no answer to what there is.
      if (response.status >= 500) throw new Error(`the node answers ${response.status}`)
      return null
    } catch (cause) {
      throw unavailable('The Bitcoin node does not answer right now; try again shortly', cause)
    }
  }

  /** An unspent output; null when it is spent (by the mempool too, unless told otherwise) or unknown. */
  async txOut(
    { txid, vout }: Outpoint,
    options: { mempool: boolean } = { mempool: true },
  ): Promise<TxOut | null> {
    const found = await this.call<any>('gettxout', txid, vout, options.mempool)
    return (
      found && {
        valueSats: satsOfBtc(found.value),
        script: hexToBytes(found.scriptPubKey.hex),
        confirmations: found.confirmations,
      }
    )
  }

  /** Whether each of these outputs is there and spent by nothing, the mempool included. */
  async areUnspent(outpoints: readonly Outpoint[]): Promise<boolean[]> {
    const answers = await this.batch(
      QUICK,
      'gettxout',
      outpoints.map(({ txid, vout }) => [txid, vout, true]),
    )
    return answers.map((found) => found !== null)
  }

  /** Txid of the mempool transaction that spends an outpoint; null when none does. */
  async spenderInMempool({ txid, vout }: Outpoint): Promise<string | null> {
    const [found] = await this.call<{ spendingtxid?: string }[]>('gettxspendingprevout', [{ txid, vout }])
    return found?.spendingtxid ?? null
  }

  async isInMempool(txid: string): Promise<boolean> {
    try {
      await this.call('getmempoolentry', txid)
      return true
    } catch (error) {
      if (error instanceof RpcFault && error.code === -5) return false
      throw error
    }
  }

  /** A whole transaction, where the node can find it (mempool, or with its transaction index); else null. */
  async transaction(txid: string): Promise<Tx | null> {
    try {
      return decodeTransaction(await this.call<string>('getrawtransaction', txid))
    } catch (error) {
      if (error instanceof RpcFault) return null
      throw error
    }
  }

  /** Txids of the mempool. */
  mempoolTxids(): Promise<string[]> {
    return this.ask(LONG, 'getrawmempool')
  }

  /** Whole transactions of the mempool by txid, null where they are not there any more. */
  async transactions(txids: readonly string[]): Promise<Map<string, Tx | null>> {
    const answers = await this.batch<string>(
      LONG,
      'getrawtransaction',
      txids.map((txid) => [txid]),
    )
    return new Map(txids.map((txid, n) => [txid, answers[n] ? decodeTransaction(answers[n]) : null]))
  }

  /** Many calls of one method, in order; null where the node refuses one. */
  private async batch<T>(
    milliseconds: number,
    method: string,
    calls: readonly unknown[][],
  ): Promise<(T | null)[]> {
    const results: (T | null)[] = []
    for (let at = 0; at < calls.length; at += BATCH) {
      const some = calls.slice(at, at + BATCH)
      const answers = await this.post<{ id: number; result: T | null }[]>(
        some.map((params, id) => ({ jsonrpc: '1.0', id, method, params })),
        milliseconds,
      )
      for (const { id, result } of answers) results[at + id] = result
    }
    return results
  }

  /**
   * Confirmed unspent outputs of a script, by a scan of all there are: minutes on mainnet. One scan at a time: Core runs no
   * two.
   */
  unspentOf(script: Uint8Array): Promise<Unspent[]> {
    const scan = this.shared.scanning
      .catch(() => {})
      .then(async () => {
        for (let attempt = 0; ; attempt++) {
          try {
            const found = await this.ask<any>(SCAN, 'scantxoutset', 'start', [`raw(${bytesToHex(script)})`])
            return found.unspents.map((each: any) => ({
              txid: each.txid,
              vout: each.vout,
              valueSats: satsOfBtc(each.amount),
            }))
          } catch (error) {
            // Another process scans: wait for it.
            if (
              !(error instanceof RpcFault && /scan already in progress/i.test(error.message)) ||
              attempt >= 50
            )
              throw error
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
        }
      })
    this.shared.scanning = scan
    return scan
  }

  /** Estimated fee rate in sat/vB to confirm within `blocks`; null while the node has no estimate. */
  async feeRate(blocks: number): Promise<number | null> {
    const { feerate } = await this.call<{ feerate?: number }>('estimatesmartfee', blocks)
    return feerate === undefined ? null : satsOfBtc(feerate) / 1000
  }

  /** Whether the mempool would take these transactions, in order. Those already there count as taken. */
  async testPackage(hexes: readonly string[]): Promise<PackageVerdict> {
    const results = await this.ask<any[]>(PACKAGE, 'testmempoolaccept', hexes)
    return verdictOf(
      results.map((each) => [
        each.txid,
        each.allowed ? null : (each['reject-reason'] ?? each['package-error'] ?? 'not validated'),
      ]),
    )
  }

  /** Sends transactions, parents first; one alone goes by `sendrawtransaction`. A refusal is a verdict, no error. */
  async submitPackage(hexes: readonly string[]): Promise<PackageVerdict> {
    try {
      const [only] = hexes
      if (hexes.length === 1 && only !== undefined) {
        await this.ask(PACKAGE, 'sendrawtransaction', only)
        return verdictOf([])
      }
      const result = await this.ask<any>(PACKAGE, 'submitpackage', hexes)
      const reasons: [string, string | null][] = Object.values<any>(result['tx-results'] ?? {}).map(
        (each) => [each.txid, each.error ?? null],
      )
      const verdict = verdictOf(reasons)
      if (!verdict.ok || result.package_msg === 'success' || reasons.length > 0) return verdict
      return verdictOf([['package', String(result.package_msg)]])
    } catch (error) {
      // Core also refuses by an error: for one, when a block takes the package between its check and its sending.
      if (!(error instanceof RpcFault)) throw error
      return verdictOf([['package', error.message]])
    }
  }
}

function verdictOf(results: readonly (readonly [string, string | null])[]): PackageVerdict {
  const reasons = new Map(
    results.flatMap(([txid, reason]) =>
      reason && !ALREADY_THERE.test(reason) ? [[txid, reason] as const] : [],
    ),
  )
  return { ok: reasons.size === 0, reasons }
}
