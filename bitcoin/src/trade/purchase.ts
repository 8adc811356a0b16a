import { dustLimitOf, type KeySpend } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf, sumSats } from '../sats.ts'
import type { TxOutput } from '../transaction.ts'
import { type Coin, type Layout, type LayoutInput, type LayoutOutput, signedVsizeOf } from './layout.ts'
import { ANCHOR_SATS, buildTransfer, escrowInputOf, type ListingTerms, TRANSFER_VSIZE } from './listing.ts'

export interface PurchaseItem {
  terms: ListingTerms
  /** The transfer is in a block already: it joins no package. */
  transferConfirmed: boolean
  marketplaceRevenueSats: number
  royalties: readonly TxOutput[]
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
  /** The market's coin that carries the fee; comes back at the end less the fee. */
  tail: Coin
  feeRateSatVb: number
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
  changeSats: number
}

/** Change below this is not worth an output: it joins the fee. */
export const MINIMUM_CHANGE_SATS = 546

/**
 * The settlement of 1..20 listings (layout P): payments first, tail coin last.
 *
 * Inputs: payments, escrow coins, tail coin. Outputs: as many head outputs as payments, the payouts (each at the index
 * of its escrow coin, as the sellers signed), the rest of the head, the inscriptions, the tail's return.
 * Head and payouts take exactly what the payments bring, so by FIFO each escrow coin fills its inscription output from
 * the first sat to the last, and the fee comes out of the tail coin alone.
 *
 * Throws `coins-insufficient` (with the sats missing), `coins-fragmented` or `tail-too-small`.
 */
export function buildPurchase(terms: PurchaseTerms): Purchase {
  const escrows = terms.items.map((item) => escrowInputOf(item.terms))
  const withChange = tryPurchase(terms, escrows, true)
  return withChange.changeSats >= MINIMUM_CHANGE_SATS ? withChange : tryPurchase(terms, escrows, false)
}

function tryPurchase(terms: PurchaseTerms, escrows: readonly LayoutInput[], change: boolean): Purchase {
  const { items, payments, tail } = terms
  const paidSats = sumSats(payments.map((coin) => coin.valueSats))
  const payouts = items.map(
    ({ terms: { payoutSats, payoutScript } }): LayoutOutput => ({
      role: 'payout',
      valueSats: payoutSats,
      script: payoutScript,
    }),
  )
  const royalties = items.flatMap(({ royalties }) =>
    royalties.map((output): LayoutOutput => ({ role: 'royalty', ...output })),
  )
  const revenueSats = sumSats(items.map((item) => item.marketplaceRevenueSats))
  const listingTransferFeeSats = ANCHOR_SATS * items.length
  const pending = items.filter((item) => !item.transferConfirmed)

  const layoutWith = (feeSats: number, changeSats: number): Layout => {
    const service = revenueSats + listingTransferFeeSats + feeSats
    const head: LayoutOutput[] = [
      { role: 'service', valueSats: service, script: terms.marketScript },
      ...royalties,
      ...(change ? [{ role: 'change', valueSats: changeSats, script: terms.changeScript } as const] : []),
    ]
    // In front of the payouts stand exactly as many outputs as there are payments.
    splitAnchors(head, payments.length - head.length)
    return {
      version: 2,
      inputs: [
        ...payments.map(
          (coin) =>
            ({ role: 'payment', coin, signer: 'buyer', spend: { by: 'key', ...terms.payer } }) as const,
        ),
        ...escrows,
        { role: 'tail', coin: tail, signer: 'market', spend: { by: 'key', ...terms.market } },
      ],
      outputs: [
        ...head.slice(0, payments.length),
        ...payouts,
        ...head.slice(payments.length),
        ...items.map(
          ({ terms: { inscriptionCoin } }): LayoutOutput => ({
            role: 'inscription',
            valueSats: inscriptionCoin.valueSats,
            script: terms.buyerScript,
          }),
        ),
        { role: 'tail', valueSats: tail.valueSats - feeSats, script: terms.marketScript },
      ],
    }
  }

  // Sizes do not depend on amounts: measure with nominal ones. A split takes 330 off the service, so make that large.
  const settlementVsize = signedVsizeOf(layoutWith(ANCHOR_SATS * payments.length, MINIMUM_CHANGE_SATS))
  const packageVsize = settlementVsize + TRANSFER_VSIZE * pending.length
  const networkFeeSats = feeOf(settlementVsize, terms.feeRateSatVb)
  const neededFeeSats = Math.max(
    feeOf(packageVsize, terms.feeRateSatVb) - ANCHOR_SATS * pending.length,
    networkFeeSats,
  )
  const costs =
    sumSats(payouts.map((output) => output.valueSats)) +
    sumSats(royalties.map((output) => output.valueSats)) +
    revenueSats +
    listingTransferFeeSats
  const left = paidSats - costs - neededFeeSats
  if (left < 0)
    throw new BitcoinError('coins-insufficient', `the payment coins hold ${-left} sats too little`, {
      missingSats: -left,
    })
  // What is too little for change goes to the miners, through the same fee.
  const feeSats = change ? neededFeeSats : neededFeeSats + left
  if (tail.valueSats - feeSats < ANCHOR_SATS)
    throw new BitcoinError('tail-too-small', 'the network fee is above what one settlement can carry', {
      feeSats,
    })
  return {
    settlement: layoutWith(feeSats, change ? left : 0),
    transfers: pending.map((item) => buildTransfer(item.terms)),
    settlementVsize,
    packageVsize,
    feeSats,
    networkFeeSats,
    cpfpFeeSats: feeSats - networkFeeSats,
    listingTransferFeeSats,
    changeSats: change ? left : 0,
  }
}

/** Adds `missing` outputs to the head: 330-sat pieces off the service output, which are anchors for later. */
function splitAnchors(head: LayoutOutput[], missing: number): void {
  const service = head[0]!
  for (let i = 0; i < missing; i++) {
    if (service.valueSats - ANCHOR_SATS < dustLimitOf(service.script))
      throw new BitcoinError(
        'coins-fragmented',
        'too many small coins: pay from fewer, larger coins, or combine them first',
        { missing: missing - i },
      )
    service.valueSats -= ANCHOR_SATS
    head.push({ role: 'anchor', valueSats: ANCHOR_SATS, script: service.script })
  }
}
