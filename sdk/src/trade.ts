import type { DurationDays } from '@ordbook/contract/durations.ts'
import { keysOf } from './keys.ts'
import type { DelistResult, ListingResult, PurchaseResult } from './results.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import { type Prepared, submit } from './submitting.ts'
import type { Trader } from './trader.ts'
import { assert } from './verify/assert.ts'
import { escrowFormOf, type ListingAgreement, verifyListing } from './verify/listing.ts'
import type { InscriptionCoin } from './verify/owner.ts'
import { type PurchaseAgreement, verifyPurchase } from './verify/purchase.ts'

/** Prepares, verifies and signs a `list` without submitting it. */
export async function prepareListing(
  trader: Trader,
  slug: string,
  agreements: readonly ListingAgreement[],
  durationDays?: DurationDays,
): Promise<
  Prepared<'submitListing', 'preflightListing'> & {
    replaces: { inscriptionId: string; listingId: string }[]
  }
> {
  const { client, wallet, walletBindingId, escrowForm = escrowFormOf(trader.wallet) } = trader
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    escrowForm,
    items: agreements.map(({ inscriptionId, priceSats }) => ({ inscriptionId, priceSats })),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightListing', { params: { slug }, body: request })
  const signed = await signPlan(wallet, verifyListing(wallet, keys, agreements, answer, escrowForm))
  const body = {
    ...request,
    ...(durationDays ? { durationDays } : {}),
    anchors: answer.listings.map(({ inscriptionId, anchorUtxoId }) => ({ inscriptionId, anchorUtxoId })),
    signed: answer.listings.map(({ inscriptionId, psbts }, i) => ({
      inscriptionId,
      psbts: withSigned(psbts, signed.slice(2 * i, 2 * i + 2)),
    })),
    signedRecoveryPsbt: { ...answer.recoveryPsbt, psbtBase64: signed.at(-1)! },
  }
  return { params: { slug }, body, answer, replaces: answer.replaces ?? [] }
}

/**
 * Lists inscriptions. Verifies before signing. Without `durationDays`, listings do not expire.
 * Throws CheckFailed, SubmitUncertain and ApiError.
 *
 * ```ts
 * await list(trader, 'harbour-lamps', [{ inscriptionId, priceSats: 50_000, coin, maxFeeBps: 500 }], 30)
 * ```
 */
export function list(
  trader: Trader,
  slug: string,
  agreements: readonly ListingAgreement[],
  durationDays?: DurationDays,
): Promise<ListingResult> {
  return submit(trader, 'submitListing', prepareListing(trader, slug, agreements, durationDays))
}

export function delist(
  { client, walletBindingId }: Trader,
  slug: string,
  listings: { inscriptionId: string; listingId: string }[],
): Promise<DelistResult> {
  return client.call('delistListing', { params: { slug }, body: { walletBindingId, listings } })
}

/** Prepares, verifies and signs a `buy` without submitting it. */
export async function preparePurchase(
  trader: Trader,
  slug: string,
  agreement: PurchaseAgreement,
): Promise<Prepared<'submitPurchase', 'preflightPurchase'> & { costSats: number }> {
  const { client, wallet, walletBindingId } = trader
  const request = {
    walletBindingId,
    paymentPublicKey: wallet.paymentPublicKey,
    listings: agreement.items.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
    spendableUtxos: agreement.coins.map(plain),
    ...(agreement.roundUpDonation ? { roundUpDonation: true } : {}),
  }
  const keys = await keysOf(trader)
  const answer = await client.call('preflightPurchase', { params: { slug }, body: request })
  const plan = verifyPurchase(wallet, keys, agreement, answer)
  const signedSteps = withSigned(answer.steps, await signPlan(wallet, plan))
  const { purchaseAnchorUtxoId, selectedPaymentUtxos } = answer
  return {
    params: { slug },
    body: { ...request, purchaseAnchorUtxoId, selectedPaymentUtxos, signedSteps },
    answer,
    costSats: plan.costSats,
  }
}

/**
 * Buys listings. Verifies before signing. Throws CheckFailed (OverBudget above `maxTotalSats`) and ApiError.
 *
 * ```ts
 * const items = [{ inscriptionId, listingId, priceSats, coin: coinOfItem(listing) }]
 * const { settlementTxid, costSats } = await buy(trader, 'harbour-lamps', { items, coins, maxFeeBps: 500, maxNetworkSats: 20_000 })
 * ```
 */
export function buy(trader: Trader, slug: string, agreement: PurchaseAgreement): Promise<PurchaseResult> {
  return submit(trader, 'submitPurchase', preparePurchase(trader, slug, agreement))
}

/**
 * Returns the coin of an inscription as the market reports it, if no other source is available. Pass `valueSats` unless `item` is a
 * listing. Throws CheckFailed.
 */
export function coinOfItem(
  item: {
    locationTxid: string | null
    locationVout: number | null
    locationSatpoint: string | null
    locationValueSats?: number
  },
  valueSats = item.locationValueSats,
): InscriptionCoin {
  const { locationTxid: txid, locationVout: vout, locationSatpoint } = item
  assert(
    txid !== null && vout !== null && locationSatpoint !== null,
    'the market reports no location of the inscription',
  )
  assert(valueSats !== undefined, "the market does not report the value of the inscription's coin")
  return { txid, vout, valueSats, offset: Number(locationSatpoint.split(':').at(-1)) }
}
