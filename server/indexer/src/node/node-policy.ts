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

/** Trades that a node may not relay. */
export type RelayedTrade = 'listings' | 'counters' | 'collection-offers'

export interface Untraded {
  trade: RelayedTrade
  reason: string
}

/** Effects of the node's policy on the market's transactions. Each reason is null where the node takes them. */
interface Findings {
  /** Transfers into escrow, with their anchors. */
  transfers: string | null
  /** Version 3 parents without a fee, sent with their child. */
  fundingParents: string | null
}

/**
 * Learns the relay policy of the market's node by probes that cannot spend anything. Otherwise a market whose node has
 * another policy than its peers would take signatures for trades that the node refuses afterwards.
 */
export class NodePolicy {
  private readonly node: Probed
  private found: Findings = { transfers: null, fundingParents: null }
  private probing: Promise<void> | null = null
  /** An unspent coin of anyone's, kept from probe to probe. */
  private coin: Coin | null = null

  constructor(node: Probed) {
    this.node = node
  }

  /**
   * Probes the node; one probe at a time. An earlier finding stays if this probe cannot decide it. Throws what the node's
   * calls throw.
   */
  refresh(): Promise<void> {
    this.probing ??= this.probe().finally(() => (this.probing = null))
    return this.probing
  }

  /** Trades that this node does not allow, and why. */
  untraded(): Untraded[] {
    const { transfers, fundingParents } = this.found
    return [
      ...(transfers === null
        ? []
        : (['listings', 'counters'] as const).map((trade) => ({ trade, reason: transfers }))),
      ...(fundingParents === null ? [] : [{ trade: 'collection-offers' as const, reason: fundingParents }]),
    ]
  }

  /** Throws unavailable where this node does not relay what a trade needs: before anyone signs. */
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

  /** The relay floor against the fixed fee of a transfer, and whether 330 sats are dust here. */
  private async probeTransfers(): Promise<string | null | undefined> {
    const { relaySatVb: floorSatVb } = await this.node.leastRates()
    if (feeOf(TRANSFER_VSIZE, floorSatVb) > ANCHOR_SATS)
      return `a transfer into escrow pays ${rate(ANCHOR_SATS / TRANSFER_VSIZE)} sat/vB, and the Bitcoin node relays nothing below ${rate(floorSatVb)} (-minrelaytxfee)`
    // Nodes look at the outputs before they look for the coins.
    const nowhere = { txid: 'ab'.repeat(32), vout: 0 }
    const tx = transactionOf(2, nowhere, [{ valueSats: ANCHOR_SATS, script: p2trScript(KEY) }])
    const reason = (await this.node.testPackage([hexOfTransaction(tx)])).reasons.get(txidOf(tx)) ?? ''
    if (/dust/.test(reason))
      return `the Bitcoin node takes outputs of ${ANCHOR_SATS} sats for dust (-dustrelayfee)`
    return /missing|spent/.test(reason) ? null : undefined
  }

  /**
   * Sends a version 3 parent without a fee together with a child that pays for both, over a coin of anyone's and with a signature
   * that cannot be valid. A node that admits such packages gets as far as the signature.
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

  /** An unspent coin that is spent by key alone, of the last blocks or of an old coinbase; null where there is none. */
  private async findCoin(): Promise<Coin | null> {
    const { node } = this
    if (this.coin && (await node.txOut(this.coin))) return this.coin
    this.coin = null
    const { blocks } = await node.blockchainInfo()
    const recent = Array.from({ length: Math.min(3, blocks) }, (_, n) => blocks - n)
    // A coinbase rests for 100 blocks; on a young chain there may be no other coins.
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
/** Fee that the child of the probe pays for both. */
const FEE_SATS = 10_000
const PAIR_VSIZE = 300
/** The x coordinate of the curve's generator: a key for outputs that never come to be. */
const KEY = Uint8Array.from(
  Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
)

const rate = (satVb: number) => Number(satVb.toFixed(2))

/** A signature, and where the coin needs one a key, that open nothing. */
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
