import { dustLimitOf, type KeySpend } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf, sumSats } from '../sats.ts'
import type { TxOutput } from '../transaction.ts'
import { type Coin, type Layout, type LayoutInput, type LayoutOutput, signedVsizeOf } from './layout.ts'
import { ANCHOR_SATS, buildTransfer, type ListingTerms, saleInputOf, TRANSFER_VSIZE } from './listing.ts'
import { insufficient, MINIMUM_CHANGE_SATS, paymentInputs } from './payment.ts'

export interface PurchaseItem {
  terms: ListingTerms
  /** Whether the transfer is confirmed. If so, the package does not include it. */
  transferConfirmed: boolean
  marketplaceRevenueSats: number
  /** Payment to the creator, or null. Royalties of one script share an output. */
  royalty: TxOutput | null
}

/**
 * Market coins that place each inscription at the start of its output. In layout P, a tail coin is last and pays the fee. In layout D, pads are first,
 * one more than items. They go to the buyer, who repays them and pays the fee. Layout D is for buyers with many small coins.
 */
export type FeeCoins = { by: 'tail'; tail: Coin } | { by: 'pads'; pads: readonly Coin[] }

export function feeCoinsOf({ feeCoins }: Pick<PurchaseTerms, 'feeCoins'>): readonly Coin[] {
  return feeCoins.by === 'tail' ? [feeCoins.tail] : feeCoins.pads
}

export interface PurchaseTerms {
  items: readonly PurchaseItem[]
  payments: readonly Coin[]
  payer: KeySpend
  buyerScript: Uint8Array
  changeScript: Uint8Array
  market: KeySpend
  marketScript: Uint8Array
  feeCoins: FeeCoins
  feeRateSatVb: number
  /** Receives a round-up donation, or null. */
  donationScript: Uint8Array | null
}

export interface Purchase {
  settlement: Layout
  /** Unconfirmed transfers in item order. */
  transfers: Layout[]
  settlementVsize: number
  /** Size of settlement and transfers. */
  packageVsize: number
  feeSats: number
  /** These three fees are the buyer's network cost. */
  networkFeeSats: number
  cpfpFeeSats: number
  listingTransferFeeSats: number
  /** 0 without a donation, otherwise at least 1000 sats. */
  donationSats: number
  /** Sum of all change outputs. */
  changeSats: number
  /** Total cost to the buyer, including postage. */
  totalCostSats: number
}

/** A donation rounds the cost up to a multiple of this. */
const DONATION_STEP_SATS = 1000

/**
 * Builds the settlement of 1 to 20 listings. The first output goes to the buyer and receives runes.
 *
 * Layout P. Inputs: payments, escrow coins, tail coin. Outputs: one head output per payment, change first; the payouts at the indexes of
 * their escrow coins; the remaining head outputs; the inscriptions; the rest of the tail coin. Head and payouts add up to the payments. So
 * each escrow coin fills its inscription output, and the tail coin pays the fee.
 *
 * Layout D. Inputs: pads, escrow coins, payments. Outputs: the pads' value to the buyer, the inscriptions, the payouts at the indexes of
 * their escrow coins, the head.
 *
 * Throws `coins-insufficient`, `coins-fragmented` or `tail-too-small`. `coins-insufficient` includes the missing sats, and in `split` the
 * number of outputs that layout P needs for many coins.
 */
export function buildPurchase(terms: PurchaseTerms): Purchase {
  const bill = billOf(terms)
  if (terms.feeCoins.by === 'tail') return withTail(terms, terms.feeCoins.tail, bill)
  return withPads(terms, terms.feeCoins.pads, bill)
}

/** Amounts that do not depend on the fee. */
interface Bill {
  escrows: LayoutInput[]
  payouts: LayoutOutput[]
  royalties: LayoutOutput[]
  /** Market fees, burned anchors, and the pads of layout D. */
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

/** Builds layout P. Change is first and at least the dust limit. */
function withTail(terms: PurchaseTerms, tail: Coin, bill: Bill): Purchase {
  const { payments, changeScript, donationScript } = terms
  const heads = 2 + bill.royalties.length + (donationScript ? 1 : 0)
  // Add outputs until there is one per payment. Split them off the service output, or off the change if it is too small.
  const missing = Math.max(0, payments.length - heads)
  const leastChangeSats = dustLimitOf(changeScript)
  for (let anchors = missing; ; anchors--) {
    const pieces = { anchors, changes: missing - anchors }
    const layoutOf = (sats: HeadSats) => tailLayout(terms, tail, bill, pieces, sats)
    const fees = feesOf(terms, layoutOf(NOTHING))
    const { feeSats } = fees
    const serviceSats = bill.marketSats + feeSats - anchors * ANCHOR_SATS
    if (anchors > 0 && serviceSats < dustLimitOf(terms.marketScript)) continue

    const donationSats = donationScript ? donationFor(bill.costSats + feeSats) : 0
    const changeSats = paidSatsOf(terms) - bill.costSats - feeSats - donationSats
    if (changeSats < leastChangeSats) throw insufficient(leastChangeSats - changeSats, { split: missing })
    if (changeSats < leastChangeSats + pieces.changes * MINIMUM_CHANGE_SATS)
      throw new BitcoinError(
        'coins-fragmented',
        'too many small coins. Pay with fewer, larger coins, or combine the coins first',
        { missing: pieces.changes },
      )
    if (tail.valueSats - feeSats < ANCHOR_SATS)
      throw new BitcoinError('tail-too-small', 'the network fee exceeds the tail coin', {
        feeSats,
      })
    return purchaseOf(terms, bill, layoutOf({ feeSats, donationSats, changeSats }), fees, donationSats)
  }
}

/** Builds layout D. Change gets a separate output if it is large enough. */
function withPads(terms: PurchaseTerms, pads: readonly Coin[], { ...bill }: Bill): Purchase {
  if (pads.length !== terms.items.length + 1 || pads.some((pad) => pad.valueSats !== ANCHOR_SATS))
    throw new TypeError('layout D requires one more 330-sat pad than items')
  const padSats = ANCHOR_SATS * pads.length
  bill.marketSats += padSats
  const attempt = (withChange: boolean): Purchase | null => {
    const layoutOf = (sats: HeadSats) => padLayout(terms, pads, bill, withChange, sats)
    const fees = feesOf(terms, layoutOf(NOTHING))
    const donationSats = terms.donationScript ? donationFor(bill.costSats + fees.feeSats) : 0
    const left = paidSatsOf(terms) - bill.costSats - padSats - fees.feeSats - donationSats
    if (withChange && left < MINIMUM_CHANGE_SATS) return null
    // A rounded total must not change, so small change cannot become a fee.
    const least = terms.donationScript && !withChange && left > 0 ? MINIMUM_CHANGE_SATS : 0
    if (left < least) throw insufficient(least - left, { split: 0 })
    if (!withChange) fees.feeSats += left
    const changeSats = withChange ? left : 0
    const settlement = layoutOf({ feeSats: fees.feeSats, donationSats, changeSats })
    return purchaseOf(terms, bill, settlement, fees, donationSats)
  }
  return attempt(true) ?? attempt(false)!
}

interface Fees {
  settlementVsize: number
  packageVsize: number
  networkFeeSats: number
  feeSats: number
}

/** Returns the fees for a settlement of this size, including the missing fees of its transfers. */
function feesOf({ items, feeRateSatVb }: PurchaseTerms, measured: Layout): Fees {
  const pending = items.filter((item) => !item.transferConfirmed).length
  const settlementVsize = signedVsizeOf(measured)
  const packageVsize = settlementVsize + TRANSFER_VSIZE * pending
  const networkFeeSats = feeOf(settlementVsize, feeRateSatVb)
  const feeSats = Math.max(feeOf(packageVsize, feeRateSatVb) - ANCHOR_SATS * pending, networkFeeSats)
  return { settlementVsize, packageVsize, networkFeeSats, feeSats }
}

function purchaseOf(
  { items }: PurchaseTerms,
  bill: Bill,
  settlement: Layout,
  fees: Fees,
  donationSats: number,
): Purchase {
  const { feeSats, networkFeeSats } = fees
  return {
    ...fees,
    settlement,
    transfers: items.flatMap((item) => (item.transferConfirmed ? [] : [buildTransfer(item.terms)])),
    cpfpFeeSats: feeSats - networkFeeSats,
    listingTransferFeeSats: ANCHOR_SATS * items.length,
    donationSats,
    changeSats: sumSats(
      settlement.outputs.filter((output) => output.role === 'change').map((output) => output.valueSats),
    ),
    totalCostSats: bill.costSats + feeSats + donationSats,
  }
}

const paidSatsOf = ({ payments }: PurchaseTerms) => sumSats(payments.map((coin) => coin.valueSats))

interface HeadSats {
  feeSats: number
  donationSats: number
  changeSats: number
}

const NOTHING: HeadSats = { feeSats: 0, donationSats: 0, changeSats: 0 }

function tailLayout(
  terms: PurchaseTerms,
  tail: Coin,
  bill: Bill,
  pieces: { anchors: number; changes: number },
  { feeSats, donationSats, changeSats }: HeadSats,
): Layout {
  const { payments, marketScript, changeScript } = terms
  const change = (valueSats: number): LayoutOutput => ({ role: 'change', valueSats, script: changeScript })
  const anchor: LayoutOutput = { role: 'anchor', valueSats: ANCHOR_SATS, script: marketScript }
  const head: LayoutOutput[] = [
    change(changeSats - pieces.changes * MINIMUM_CHANGE_SATS),
    ...sidesOf(terms, bill, bill.marketSats + feeSats - pieces.anchors * ANCHOR_SATS, donationSats),
    ...Array<LayoutOutput>(pieces.anchors).fill(anchor),
    ...Array<LayoutOutput>(pieces.changes).fill(change(MINIMUM_CHANGE_SATS)),
  ]
  return {
    version: 2,
    inputs: [...paymentInputs(terms), ...bill.escrows, marketInput(terms, 'tail', tail)],
    outputs: [
      ...head.slice(0, payments.length),
      ...bill.payouts,
      ...head.slice(payments.length),
      ...inscriptionsOf(terms),
      { role: 'tail', valueSats: tail.valueSats - feeSats, script: marketScript },
    ],
  }
}

function padLayout(
  terms: PurchaseTerms,
  pads: readonly Coin[],
  bill: Bill,
  withChange: boolean,
  { donationSats, changeSats }: HeadSats,
): Layout {
  const change = (valueSats: number): LayoutOutput => ({
    role: 'change',
    valueSats,
    script: terms.changeScript,
  })
  return {
    version: 2,
    inputs: [...pads.map((pad) => marketInput(terms, 'pad', pad)), ...bill.escrows, ...paymentInputs(terms)],
    outputs: [
      change(ANCHOR_SATS * pads.length),
      ...inscriptionsOf(terms),
      ...bill.payouts,
      ...sidesOf(terms, bill, bill.marketSats, donationSats),
      ...(withChange ? [change(changeSats)] : []),
    ],
  }
}

function sidesOf(
  { marketScript, donationScript }: PurchaseTerms,
  { royalties }: Bill,
  serviceSats: number,
  donationSats: number,
): LayoutOutput[] {
  return [
    { role: 'service', valueSats: serviceSats, script: marketScript },
    ...royalties,
    ...(donationScript
      ? [{ role: 'donation', valueSats: donationSats, script: donationScript } as const]
      : []),
  ]
}

const inscriptionsOf = ({ items, buyerScript }: PurchaseTerms) =>
  items.map(
    ({ terms: { inscriptionCoin } }): LayoutOutput => ({
      role: 'inscription',
      valueSats: inscriptionCoin.valueSats,
      script: buyerScript,
    }),
  )

const marketInput = ({ market }: PurchaseTerms, role: 'tail' | 'pad', coin: Coin): LayoutInput => ({
  role,
  coin,
  signer: 'market',
  spend: { by: 'key', ...market },
})

/** Returns the smallest donation that rounds up the total. */
function donationFor(costSats: number): number {
  const over = costSats % DONATION_STEP_SATS
  return over === 0 ? DONATION_STEP_SATS : 2 * DONATION_STEP_SATS - over
}
