import { dustLimitOf, type KeySpend } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf, sumSats } from '../sats.ts'
import type { TxOutput } from '../transaction.ts'
import { type Coin, type Layout, type LayoutInput, type LayoutOutput, signedVsizeOf } from './layout.ts'
import { ANCHOR_SATS, buildTransfer, type ListingTerms, saleInputOf, TRANSFER_VSIZE } from './listing.ts'
import { insufficient, MINIMUM_CHANGE_SATS } from './payment.ts'

export interface PurchaseItem {
  terms: ListingTerms
  /** The transfer is in a block already: it joins no package. */
  transferConfirmed: boolean
  marketplaceRevenueSats: number
  /** What the creator gets, and where; null when nothing. Creators of one script are paid by one output. */
  royalty: TxOutput | null
}

/**
 * What of the market's keeps the sats in line. A tail coin stands last, pays the fee and comes back without it (layout P).
 * Pads, one 330-sat coin more than items, stand first and come back whole, and the payments pay the fee (layout D): for
 * buyers with more small coins than layout P finds outputs for.
 */
export type Carrier = { by: 'tail'; tail: Coin } | { by: 'pads'; pads: readonly Coin[] }

/** The coins of the market in a settlement. */
export function carrierCoinsOf({ carrier }: Pick<PurchaseTerms, 'carrier'>): readonly Coin[] {
  return carrier.by === 'tail' ? [carrier.tail] : carrier.pads
}

export interface PurchaseTerms {
  items: readonly PurchaseItem[]
  /** The buyer's coins, all of one address. */
  payments: readonly Coin[]
  payer: KeySpend
  /** Where the inscriptions go. */
  buyerScript: Uint8Array
  /** Where change goes: the buyer's payment script. */
  changeScript: Uint8Array
  market: KeySpend
  marketScript: Uint8Array
  carrier: Carrier
  feeRateSatVb: number
  /** Where a round-up donation goes; null when the buyer gives none. */
  donationScript: Uint8Array | null
}

export interface Purchase {
  settlement: Layout
  /** The transfers that travel with the settlement, in item order. */
  transfers: Layout[]
  settlementVsize: number
  /** Settlement and transfers together. */
  packageVsize: number
  /** What miners get from the settlement. */
  feeSats: number
  /** The three parts add up to everything that the network costs the buyer. */
  networkFeeSats: number
  cpfpFeeSats: number
  listingTransferFeeSats: number
  /** At least 1000 sats when the buyer rounds up, such that the whole cost is a multiple of 1000; else 0. */
  donationSats: number
  /** All change outputs together. */
  changeSats: number
  /** Everything that leaves the buyer's coins, with the postage that comes back in the inscription outputs. */
  totalCostSats: number
}

/** A round-up donation makes the cost a multiple of this, and is at least this. */
export const DONATION_STEP_SATS = 1000

/**
 * The settlement of 1..20 listings.
 *
 * Layout P. Inputs: payments, escrow coins, tail coin. Outputs: as many head outputs as payments, the payouts (each at
 * the index of its escrow coin, as the sellers signed), the rest of the head, the inscriptions, the tail's return.
 * Head and payouts take exactly what the payments bring, so by FIFO each escrow coin fills its inscription output from
 * the first sat to the last, and the fee comes out of the tail coin alone.
 *
 * Layout D. Inputs: pads, escrow coins, payments. Outputs: the pads in one, the inscriptions, the payouts (again at the
 * index of their escrow coins), the head. The fee is what the payments leave over.
 *
 * Throws `coins-insufficient` (with the sats missing, and as `split` the outputs that layout P had to find for many coins
 * and layout D would not), `coins-fragmented` or `tail-too-small`; the last two with a tail.
 */
export function buildPurchase(terms: PurchaseTerms): Purchase {
  const bill = billOf(terms)
  try {
    const withChange = tryPurchase(terms, bill, true)
    if (withChange.changeSats >= MINIMUM_CHANGE_SATS) return withChange
  } catch (error) {
    if (!(error instanceof BitcoinError && error.code === 'coins-insufficient')) throw error
  }
  return tryPurchase(terms, bill, false)
}

/** What does not depend on the fee: who is paid, and how much of the payments is spoken for. */
interface Bill {
  escrows: LayoutInput[]
  payouts: LayoutOutput[]
  royalties: LayoutOutput[]
  /** The market's fees and the anchors that the transfers burn. */
  marketSats: number
  costSats: number
}

function billOf({ items }: PurchaseTerms): Bill {
  const payouts = items.map(
    ({ terms: { payoutSats, payoutScript } }): LayoutOutput => ({
      role: 'payout',
      valueSats: payoutSats,
      script: payoutScript,
    }),
  )
  const royalties: LayoutOutput[] = []
  for (const { royalty } of items) {
    if (!royalty) continue
    const same = royalties.find((output) => equalBytes(output.script, royalty.script))
    if (same) same.valueSats += royalty.valueSats
    else royalties.push({ role: 'royalty', ...royalty })
  }
  const marketSats = sumSats(items.map((item) => item.marketplaceRevenueSats)) + ANCHOR_SATS * items.length
  return {
    escrows: items.map((item) => saleInputOf(item.terms)),
    payouts,
    royalties,
    marketSats,
    costSats: marketSats + sumSats([...payouts, ...royalties].map((output) => output.valueSats)),
  }
}

function tryPurchase(terms: PurchaseTerms, bill: Bill, change: boolean): Purchase {
  const { items, payments, carrier, donationScript } = terms
  const paidSats = sumSats(payments.map((coin) => coin.valueSats))
  const pending = items.filter((item) => !item.transferConfirmed)
  const heads = 1 + bill.royalties.length + (donationScript ? 1 : 0) + (change ? 1 : 0)
  // In layout P exactly as many outputs stand in front of the payouts as there are payments. What is missing is split off
  // the service output, as anchors for later, and only what that cannot give off the change.
  const missing = carrier.by === 'tail' ? Math.max(0, payments.length - heads) : 0

  for (let anchors = missing; ; anchors--) {
    const pieces = { anchors, changes: missing - anchors }
    // Sizes do not depend on amounts: measure with none.
    const settlementVsize = signedVsizeOf(layoutWith(terms, bill, change, pieces, NOTHING))
    const networkFeeSats = feeOf(settlementVsize, terms.feeRateSatVb)
    const packageVsize = settlementVsize + TRANSFER_VSIZE * pending.length
    const neededFeeSats = Math.max(
      feeOf(packageVsize, terms.feeRateSatVb) - ANCHOR_SATS * pending.length,
      networkFeeSats,
    )
    const serviceSats = bill.marketSats + neededFeeSats - anchors * ANCHOR_SATS
    if (anchors > 0 && serviceSats < dustLimitOf(terms.marketScript)) continue

    const donationSats = donationScript ? donationFor(bill.costSats + neededFeeSats) : 0
    const left = paidSats - bill.costSats - neededFeeSats - donationSats
    // A cost that is rounded up leaves no place for change that is too small.
    const least = donationScript && !change && left > 0 ? MINIMUM_CHANGE_SATS : 0
    if (left < least) throw insufficient(least - left, { split: missing })
    if (pieces.changes > 0 && (!change || left < (pieces.changes + 1) * MINIMUM_CHANGE_SATS))
      throw new BitcoinError(
        'coins-fragmented',
        'too many small coins: pay from fewer, larger coins, or combine them first',
        { missing: pieces.changes },
      )
    // What is too little for change goes to the miners, through the same fee.
    const feeSats = change ? neededFeeSats : neededFeeSats + left
    if (carrier.by === 'tail' && carrier.tail.valueSats - feeSats < ANCHOR_SATS)
      throw new BitcoinError('tail-too-small', 'the network fee is above what one settlement can carry', {
        feeSats,
      })
    const changeSats = change ? left : 0
    return {
      settlement: layoutWith(terms, bill, change, pieces, { feeSats, donationSats, changeSats }),
      transfers: pending.map((item) => buildTransfer(item.terms)),
      settlementVsize,
      packageVsize,
      feeSats,
      networkFeeSats,
      cpfpFeeSats: feeSats - networkFeeSats,
      listingTransferFeeSats: ANCHOR_SATS * items.length,
      donationSats,
      changeSats,
      totalCostSats: bill.costSats + feeSats + donationSats,
    }
  }
}

const NOTHING = { feeSats: 0, donationSats: 0, changeSats: 0 }

function layoutWith(
  terms: PurchaseTerms,
  { escrows, payouts, royalties, marketSats }: Bill,
  change: boolean,
  pieces: { anchors: number; changes: number },
  { feeSats, donationSats, changeSats }: typeof NOTHING,
): Layout {
  const { items, carrier, marketScript, changeScript, donationScript } = terms
  const times = (count: number, output: LayoutOutput) => Array<LayoutOutput>(count).fill(output)
  const marketCoin = (coin: Coin) =>
    ({
      role: carrier.by === 'tail' ? 'tail' : 'pad',
      coin,
      signer: 'market',
      spend: { by: 'key', ...terms.market },
    }) as const
  const payments = terms.payments.map(
    (coin) => ({ role: 'payment', coin, signer: 'buyer', spend: { by: 'key', ...terms.payer } }) as const,
  )
  const inscriptions = items.map(
    ({ terms: { inscriptionCoin } }): LayoutOutput => ({
      role: 'inscription',
      valueSats: inscriptionCoin.valueSats,
      script: terms.buyerScript,
    }),
  )
  const feeThroughMarket = carrier.by === 'tail' ? feeSats : 0
  const head: LayoutOutput[] = [
    {
      role: 'service',
      valueSats: marketSats + feeThroughMarket - pieces.anchors * ANCHOR_SATS,
      script: marketScript,
    },
    ...royalties,
    ...(donationScript
      ? [{ role: 'donation', valueSats: donationSats, script: donationScript } as const]
      : []),
    ...times(change ? 1 : 0, {
      role: 'change',
      valueSats: changeSats - pieces.changes * MINIMUM_CHANGE_SATS,
      script: changeScript,
    }),
    ...times(pieces.anchors, { role: 'anchor', valueSats: ANCHOR_SATS, script: marketScript }),
    ...times(pieces.changes, { role: 'change', valueSats: MINIMUM_CHANGE_SATS, script: changeScript }),
  ]
  if (carrier.by === 'pads') {
    const { pads } = carrier
    if (pads.length !== items.length + 1 || pads.some((pad) => pad.valueSats !== ANCHOR_SATS))
      throw new TypeError('layout D takes one 330-sat pad more than items')
    return {
      version: 2,
      inputs: [...pads.map(marketCoin), ...escrows, ...payments],
      outputs: [
        { role: 'pad', valueSats: ANCHOR_SATS * pads.length, script: marketScript },
        ...inscriptions,
        ...payouts,
        ...head,
      ],
    }
  }
  const { tail } = carrier
  return {
    version: 2,
    inputs: [...payments, ...escrows, marketCoin(tail)],
    outputs: [
      ...head.slice(0, payments.length),
      ...payouts,
      ...head.slice(payments.length),
      ...inscriptions,
      { role: 'tail', valueSats: tail.valueSats - feeSats, script: marketScript },
    ],
  }
}

/** The least donation of at least one step that makes `costSats` and itself a whole number of steps. */
function donationFor(costSats: number): number {
  const over = costSats % DONATION_STEP_SATS
  return over === 0 ? DONATION_STEP_SATS : 2 * DONATION_STEP_SATS - over
}
