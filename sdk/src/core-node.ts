import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { hexOfTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { array, boolean, type Check, integer, number, object, text } from './checks/check.ts'
import { coreRpc, type NodeOptions, NodeRefused } from './core-rpc.ts'
import { CheckFailed } from './errors.ts'
import { type ChainSource, type ProofLimits, pathOf, transactionsBy } from './receipt.ts'
import { sleep } from './repeat.ts'
import { coinOfItem } from './trade.ts'
import { assertOffsetInside } from './verify/answer-checks.ts'
import { assert } from './verify/assert.ts'
import type { InscriptionCoin, OwnCoin } from './verify/owner.ts'

/** A Bitcoin Core node with a transaction index. */
export interface CoreNode extends ChainSource {
  /**
   * Confirmed, unspent coins of a script; coinbase outputs only with 100 confirmations. Scans the whole UTXO set, which takes minutes on
   * mainnet.
   */
  coinsOf(script: Uint8Array): Promise<OwnCoin[]>
  height(): Promise<number>
  /** An unspent output; null if it is spent in the chain or the mempool, or does not exist. */
  output(outpoint: Outpoint): Promise<TxOutput | null>
  /** Broadcasts a transaction and returns its txid. Throws NodeRefused. */
  send(tx: Tx): Promise<string>
}

interface Scan {
  height: number
  unspents: { txid: string; vout: number; amount: number; height: number; coinbase?: boolean }[]
}
const checkUnspent: Check = (value) =>
  object(value, { txid: text, vout: integer, amount: number, height: integer, coinbase: boolean }, [
    'coinbase',
  ])
const isScan = (value: unknown): value is Scan =>
  object(value, { height: integer, unspents: (unspents) => array(unspents, checkUnspent) }) === null

interface Output {
  value: number
  scriptPubKey: { hex: string }
}
const isOutput = (value: unknown): value is Output =>
  object(value, { value: number, scriptPubKey: (script) => object(script, { hex: text }) }) === null

const COINBASE_MATURITY = 100
const SCAN = { attempts: 600, waitMilliseconds: 100 }
const SCAN_IN_PROGRESS = -8

/** Connects to Bitcoin Core. `url` contains user and password. Calls throw the same errors as `coreRpc`. */
export function coreNode(url: string, options: NodeOptions = {}): CoreNode {
  const call = coreRpc(url, options)
  const malformed = (method: string) =>
    new CheckFailed(`the node's response to ${method} does not have Bitcoin Core's format`)
  return {
    ...transactionsBy(call),
    async coinsOf(script) {
      const found = await scan(call, script, options.signal ?? null)
      if (!isScan(found)) throw malformed('scantxoutset')
      const coins: OwnCoin[] = []
      for (const { txid, vout, amount, coinbase, height } of found.unspents) {
        const isMature = !coinbase || found.height - height >= COINBASE_MATURITY
        // The scan ignores the mempool.
        if (isMature && (await call('gettxout', txid, vout, true)) !== null)
          coins.push({ txid, vout, valueSats: satsOfBtc(amount) })
      }
      return coins
    },
    async height() {
      const found = await call('getblockcount')
      if (!Number.isSafeInteger(found)) throw malformed('getblockcount')
      return found as number
    },
    async output({ txid, vout }) {
      const found = await call('gettxout', txid, vout, true)
      if (found === null) return null
      if (!isOutput(found)) throw malformed('gettxout')
      return { valueSats: satsOfBtc(found.value), script: hexToBytes(found.scriptPubKey.hex) }
    },
    async send(tx) {
      const txid = await call('sendrawtransaction', hexOfTransaction(tx))
      if (typeof txid !== 'string') throw malformed('sendrawtransaction')
      return txid
    },
  }
}

async function scan(
  call: ReturnType<typeof coreRpc>,
  script: Uint8Array,
  signal: AbortSignal | null,
): Promise<unknown> {
  for (let attempt = 1; ; attempt++)
    try {
      return await call('scantxoutset', 'start', [`raw(${bytesToHex(script)})`])
    } catch (error) {
      const isInProgress = error instanceof NodeRefused && error.rpcCode === SCAN_IN_PROGRESS
      if (!isInProgress || attempt === SCAN.attempts) throw error
      await sleep(SCAN.waitMilliseconds, signal)
    }
}

/**
 * Returns the coin of an inscription that the market reports, proven by tracing the sat to its reveal. Throws CheckFailed if the coin is
 * spent or does not contain the inscription, and TraceTooLong if the proof exceeds the limits.
 */
export async function coinByNode(
  node: Pick<CoreNode, 'transaction' | 'output'>,
  item: { inscriptionId: string } & (
    | Parameters<typeof coinOfItem>[0]
    | { outpoint: OwnCoin | null; satOffset: number | null }
  ),
  limits: ProofLimits = {},
): Promise<InscriptionCoin> {
  const coin = 'outpoint' in item ? coinOfInscription(item) : coinOfItem(item, 0)
  const output = await node.output(coin)
  assert(output !== null, `${formatOutpoint(coin)}, the coin of ${item.inscriptionId}, is spent`)
  assertOffsetInside({ ...coin, valueSats: output.valueSats }, item.inscriptionId)
  await pathOf(item.inscriptionId, formatOutpoint(coin), coin.offset, node, limits)
  return { ...coin, valueSats: output.valueSats }
}

function coinOfInscription({ outpoint, satOffset }: { outpoint: OwnCoin | null; satOffset: number | null }) {
  assert(outpoint !== null && satOffset !== null, 'the market reports no location of the inscription')
  return { txid: outpoint.txid, vout: outpoint.vout, valueSats: outpoint.valueSats, offset: satOffset }
}
