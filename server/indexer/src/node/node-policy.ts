import { kindOfScript, p2trScript } from '@ordbook/bitcoin/address.ts'
import { feeOf } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, TRANSFER_VSIZE } from '@ordbook/bitcoin/trade/listing.ts'
import { hexOfTransaction, SEQUENCE_RBF, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import {
  type BlockArchive,
  type BlockSource,
  type Broadcaster,
  type CoinSource,
  type FeeSource,
  SourceFault,
  type TransactionSource,
} from './source.ts'

type ProbeSource = BlockSource & BlockArchive & CoinSource & TransactionSource & FeeSource & Broadcaster

export type RelayedTrade = 'listings' | 'counters' | 'collection-offers'

/** Why a node does not relay a transaction. `option` is the policy that rejects it. */
interface Rejection {
  option: 'minrelaytxfee' | 'dustrelayfee' | 'packages'
  reason: string
}

export interface Untraded extends Rejection {
  trade: RelayedTrade
}

/** Probe results. Null if the node accepts the transactions. */
interface Findings {
  /** Transfers into escrow, with their anchors. */
  transfers: Rejection | null
  /** Zero-fee version 3 parents with a child. */
  fundingParents: Rejection | null
}

/** Detects the node's relay policy with probe transactions that cannot be mined, so that nobody signs a trade that the node rejects. */
export class NodePolicy {
  private readonly node: ProbeSource
  private found: Findings = { transfers: null, fundingParents: null }
  private probing: Promise<void> | null = null
  /** An unspent coin of any owner, reused for probes. */
  private coin: Coin | null = null

  constructor(node: ProbeSource) {
    this.node = node
  }

  /** Probes the node. Concurrent calls share one probe. An inconclusive probe keeps the previous result. Rethrows errors of the node. */
  refresh(): Promise<void> {
    this.probing ??= this.probe().finally(() => (this.probing = null))
    return this.probing
  }

  untraded(): Untraded[] {
    const { transfers, fundingParents } = this.found
    return [
      ...(transfers === null
        ? []
        : (['listings', 'counters'] as const).map((trade) => ({ trade, ...transfers }))),
      ...(fundingParents === null ? [] : [{ trade: 'collection-offers' as const, ...fundingParents }]),
    ]
  }

  /** Throws `unavailable` if the node does not relay this kind of trade. Call it before anyone signs. */
  assertTraded(trade: RelayedTrade): void {
    const found = this.untraded().find((untraded) => untraded.trade === trade)
    if (found)
      throw unavailable(
        'node-policy-unfit',
        `This market cannot trade ${trade.replace('-', ' ')}: ${found.reason}. The operator must change the node's settings.`,
      )
  }

  private async probe(): Promise<void> {
    const transfers = await this.probeTransfers()
    const fundingParents = await this.probeFundingParents()
    this.found = {
      transfers: transfers === undefined ? this.found.transfers : transfers,
      fundingParents: fundingParents === undefined ? this.found.fundingParents : fundingParents,
    }
  }

  /** Checks that a transfer's fixed fee is relayed and that 330 sats are not dust. Returns undefined if the probe is inconclusive. */
  private async probeTransfers(): Promise<Rejection | null | undefined> {
    const { relaySatVb } = await this.node.leastRates()
    if (feeOf(TRANSFER_VSIZE, relaySatVb) > ANCHOR_SATS)
      return {
        option: 'minrelaytxfee',
        reason: `a transfer into escrow pays ${rate(ANCHOR_SATS / TRANSFER_VSIZE)} sat/vB, and the minimum relay fee of the Bitcoin node is ${rate(relaySatVb)} sat/vB (-minrelaytxfee)`,
      }
    // Nodes check outputs before inputs, so the input need not exist. Since Core 29, one dust output is not rejected at that point.
    const anchor = { valueSats: ANCHOR_SATS, script: p2trScript(KEY) }
    const unknownOutpoint = { txid: 'ab'.repeat(32), vout: 0 }
    const tx = transactionOf(2, unknownOutpoint, [anchor, anchor])
    const reason = (await this.node.testPackage([hexOfTransaction(tx)])).reasons.get(txidOf(tx)) ?? ''
    if (/dust/.test(reason))
      return {
        option: 'dustrelayfee',
        reason: `the Bitcoin node treats outputs of ${ANCHOR_SATS} sats as dust (-dustrelayfee)`,
      }
    return /missing|spent/.test(reason) ? null : undefined
  }

  /**
   * Submits a zero-fee version 3 parent with a child that pays for both. Both spend another owner's coin, so a node that supports such
   * packages rejects only the signature.
   */
  private async probeFundingParents(): Promise<Rejection | null | undefined> {
    const coin = await this.findCoin()
    if (!coin) return undefined
    const { mempoolSatVb } = await this.node.leastRates()
    const feeSats = Math.max(FEE_SATS, 2 * feeOf(PAIR_VSIZE, mempoolSatVb))
    if (coin.valueSats < feeSats + 1000) return undefined
    const parent = transactionOf(3, coin, [coin], junkWitness(coin))
    const parentCoin = { ...coin, txid: txidOf(parent), vout: 0 }
    const output = { valueSats: coin.valueSats - feeSats, script: coin.script }
    const child = transactionOf(3, parentCoin, [output], junkWitness(coin))
    const { reasons } = await this.node.submitPackage([parent, child].map(hexOfTransaction))
    const reason = reasons.get(txidOf(parent)) ?? reasons.get('package') ?? ''
    if (/signature|script|witness/i.test(reason)) return null
    if (/not met|version|method not found|TRUC/i.test(reason))
      return {
        option: 'packages',
        reason: `the Bitcoin node rejects a zero-fee version 3 transaction with its child (${reason})`,
      }
    this.coin = null
    return undefined
  }

  /** Finds an unspent P2WPKH or P2TR coin in recent blocks or an old coinbase; null if there is none. */
  private async findCoin(): Promise<Coin | null> {
    const { node } = this
    if (this.coin && (await node.txOut(this.coin))) return this.coin
    this.coin = null
    const { blocks } = await node.blockchainInfo()
    const recent = Array.from({ length: Math.min(3, blocks) }, (_, n) => blocks - n)
    // A new chain may have only coinbase outputs.
    const mature = Array.from({ length: Math.min(10, Math.max(0, blocks - MATURITY)) }, (_, n) => n + 1)
    for (const [height, from] of [
      ...recent.map((height) => [height, 1] as const),
      ...mature.map((height) => [height, 0] as const),
    ]) {
      const hash = await node.blockHash(height)
      const txids = hash === null ? [] : await node.blockTxids(hash).catch(orNoneIfPruned)
      for (const txid of txids.slice(from, from + 20)) {
        const tx = await node.transaction(txid)
        for (const [vout, { valueSats, script }] of tx?.outputs.entries() ?? [])
          if (valueSats > 4 * FEE_SATS && ['p2wpkh', 'p2tr'].includes(kindOfScript(script))) {
            const coin = { txid, vout, valueSats, script }
            if (await node.txOut(coin)) {
              this.coin = coin
              return coin
            }
          }
      }
    }
    return null
  }
}

/** A pruned node refuses old blocks. */
function orNoneIfPruned(error: unknown): string[] {
  if (error instanceof SourceFault) return []
  throw error
}

const MATURITY = 100
/** Fee of the child, for both transactions. */
const FEE_SATS = 10_000
const PAIR_VSIZE = 300
/** X coordinate of the secp256k1 generator, for outputs that are never created. */
const KEY = Uint8Array.from(
  Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
)

const rate = (satVb: number) => Number(satVb.toFixed(2))

/** Returns an invalid signature, with a public key if needed. */
const junkWitness = ({ script }: Coin): Uint8Array[] =>
  kindOfScript(script) === 'p2tr'
    ? [new Uint8Array(64).fill(1)]
    : [new Uint8Array(71).fill(1), Uint8Array.of(2, ...KEY)]

function transactionOf(
  version: number,
  { txid, vout }: { txid: string; vout: number },
  outputs: readonly { valueSats: number; script: Uint8Array }[],
  witness: Uint8Array[] = [],
): Tx {
  return {
    version,
    locktime: 0,
    inputs: [{ txid, vout, sequence: SEQUENCE_RBF, scriptSig: new Uint8Array(), witness }],
    outputs: outputs.map(({ valueSats, script }) => ({ valueSats, script })),
  }
}
