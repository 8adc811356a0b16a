import { kindOfScript, p2trScript } from '@ordbook/bitcoin/address.ts'
import { feeOf } from '@ordbook/bitcoin/sats.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { ANCHOR_SATS, TRANSFER_VSIZE } from '@ordbook/bitcoin/trade/listing.ts'
import { hexOfTransaction, SEQUENCE_RBF, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import type {
  BlockArchive,
  BlockSource,
  Broadcaster,
  CoinSource,
  FeeSource,
  TransactionSource,
} from './source.ts'

type Probed = BlockSource & BlockArchive & CoinSource & TransactionSource & FeeSource & Broadcaster

/** Kinds of trades that a node may not relay. */
export type RelayedTrade = 'listings' | 'counters' | 'collection-offers'

export interface Untraded {
  trade: RelayedTrade
  reason: string
}

/** How the node's policy affects the market's transactions. A reason is null if the node accepts them. */
interface Findings {
  /** Transfers into escrow, with their anchors. */
  transfers: string | null
  /** Version 3 parents with zero fee, submitted with their child. */
  fundingParents: string | null
}

/**
 * Detects the relay policy of the market's node with probes that cannot spend anything. Otherwise, if the node's policy differs from its
 * peers', the market would collect signatures for trades that the node then rejects.
 */
export class NodePolicy {
  private readonly node: Probed
  private found: Findings = { transfers: null, fundingParents: null }
  private probing: Promise<void> | null = null
  /** An unspent coin of any owner, reused between probes. */
  private coin: Coin | null = null

  constructor(node: Probed) {
    this.node = node
  }

  /**
   * Probes the node; concurrent calls share one probe. If a probe is inconclusive, the previous finding is kept. Rethrows errors of the
   * node's calls.
   */
  refresh(): Promise<void> {
    this.probing ??= this.probe().finally(() => (this.probing = null))
    return this.probing
  }

  /** Trades that this node does not relay, with the reasons. */
  untraded(): Untraded[] {
    const { transfers, fundingParents } = this.found
    return [
      ...(transfers === null
        ? []
        : (['listings', 'counters'] as const).map((trade) => ({ trade, reason: transfers }))),
      ...(fundingParents === null ? [] : [{ trade: 'collection-offers' as const, reason: fundingParents }]),
    ]
  }

  /** Throws unavailable if this node does not relay a kind of trade. Called before anyone signs. */
  assertTraded(trade: RelayedTrade): void {
    const found = this.untraded().find((each) => each.trade === trade)
    if (found)
      throw unavailable(
        'node-policy-unfit',
        `This market cannot trade ${trade.replace('-', ' ')} now: ${found.reason}. Its operator has to change the node's settings`,
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

  /** Checks that the relay minimum allows the fixed fee of a transfer, and that 330 sats are not dust. Undefined if inconclusive. */
  private async probeTransfers(): Promise<string | null | undefined> {
    const { relaySatVb: floorSatVb } = await this.node.leastRates()
    if (feeOf(TRANSFER_VSIZE, floorSatVb) > ANCHOR_SATS)
      return `a transfer into escrow pays ${rate(ANCHOR_SATS / TRANSFER_VSIZE)} sat/vB, and the Bitcoin node relays nothing below ${rate(floorSatVb)} (-minrelaytxfee)`
    // Nodes check outputs before they look up inputs.
    const nowhere = { txid: 'ab'.repeat(32), vout: 0 }
    const tx = transactionOf(2, nowhere, [{ valueSats: ANCHOR_SATS, script: p2trScript(KEY) }])
    const reason = (await this.node.testPackage([hexOfTransaction(tx)])).reasons.get(txidOf(tx)) ?? ''
    if (/dust/.test(reason))
      return `the Bitcoin node takes outputs of ${ANCHOR_SATS} sats for dust (-dustrelayfee)`
    return /missing|spent/.test(reason) ? null : undefined
  }

  /**
   * Submits a zero-fee version 3 parent with a child that pays for both. It spends anyone's coin with an invalid signature, so a node that
   * accepts such packages rejects it only at the signature check.
   */
  private async probeFundingParents(): Promise<string | null | undefined> {
    const coin = await this.findCoin()
    if (!coin) return undefined
    const { mempoolSatVb } = await this.node.leastRates()
    const feeSats = Math.max(FEE_SATS, 2 * feeOf(PAIR_VSIZE, mempoolSatVb))
    if (coin.valueSats < feeSats + 1000) return undefined
    const parent = transactionOf(3, coin, [coin], junkWitness(coin))
    const made = { ...coin, txid: txidOf(parent), vout: 0 }
    const output = { valueSats: coin.valueSats - feeSats, script: coin.script }
    const child = transactionOf(3, made, [output], junkWitness(coin))
    const { reasons } = await this.node.submitPackage([parent, child].map(hexOfTransaction))
    const reason = reasons.get(txidOf(parent)) ?? reasons.get('package') ?? ''
    if (/signature|script|witness/i.test(reason)) return null
    if (/not met|version|method not found|TRUC/i.test(reason))
      return `the Bitcoin node takes no version 3 transaction without a fee together with its child (${reason})`
    this.coin = null
    return undefined
  }

  /** Finds an unspent key-path coin in the latest blocks or an old coinbase; null if there is none. */
  private async findCoin(): Promise<Coin | null> {
    const { node } = this
    if (this.coin && (await node.txOut(this.coin))) return this.coin
    this.coin = null
    const { blocks } = await node.blockchainInfo()
    const recent = Array.from({ length: Math.min(3, blocks) }, (_, n) => blocks - n)
    // A coinbase matures after 100 blocks. A young chain may have no other coins.
    const mature = Array.from({ length: Math.min(10, Math.max(0, blocks - MATURITY)) }, (_, n) => n + 1)
    for (const [height, from] of [
      ...recent.map((each) => [each, 1] as const),
      ...mature.map((each) => [each, 0] as const),
    ]) {
      const hash = await node.blockHash(height)
      const txids = hash === null ? [] : await node.blockTxids(hash)
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

const MATURITY = 100
/** Fee that the probe's child pays for both transactions. */
const FEE_SATS = 10_000
const PAIR_VSIZE = 300
/** X coordinate of the curve's generator: a key for outputs that are never created. */
const KEY = Uint8Array.from(
  Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
)

const rate = (satVb: number) => Number(satVb.toFixed(2))

/** An invalid signature, and a public key if the script needs one. */
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
