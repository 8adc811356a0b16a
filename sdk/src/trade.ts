import { keysOf } from './keys.ts'
import type { Answer, Body } from './operations.ts'
import { plain, signPlan, withSigned } from './signing.ts'
import type { Trader } from './trader.ts'
import { demand } from './verify/demand.ts'
import { escrowFormOf, type ListingAgreement, verifyListing } from './verify/listing.ts'
import type { InscriptionCoin } from './verify/owner.ts'
import { type PurchaseAgreement, verifyPurchase } from './verify/purchase.ts'

/** Lists inscriptions, each checked before it is signed. Absent `durationDays`: never expires. */
export async function list(
  trader: Trader,
  slug: string,
  agreements: readonly ListingAgreement[],
  durationDays?: 1 | 7 | 30 | 90 | 180,
): Promise<Answer<'submitListing'>> {
  return trader.client.call('submitListing', {
    params: { slug },
    body: await prepareListing(trader, slug, agreements, durationDays),
  })
}

/** Everything of `list` but the submit. */
export async function prepareListing(
  trader: Trader,
  slug: string,
  agreements: readonly ListingAgreement[],
  durationDays?: 1 | 7 | 30 | 90 | 180,
): Promise<Body<'submitListing'>> {
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
  return {
    ...request,
    ...(durationDays ? { durationDays } : {}),
    anchors: answer.listings.map(({ inscriptionId, anchorUtxoId }) => ({ inscriptionId, anchorUtxoId })),
    signed: answer.listings.map(({ inscriptionId, psbts }, i) => ({
      inscriptionId,
      psbts: withSigned(psbts, signed.slice(2 * i, 2 * i + 2)),
    })),
    signedRecoveryPsbt: { ...answer.recoveryPsbt, psbtBase64: signed.at(-1)! },
  }
}

/** Takes listings down. */
export function delist(
  { client, walletBindingId }: Trader,
  slug: string,
  listings: { inscriptionId: string; listingId: string }[],
): Promise<Answer<'delistListing'>> {
  return client.call('delistListing', { params: { slug }, body: { walletBindingId, listings } })
}

/** Buys listings, checked before it is signed. Gives the market's answer and what left the buyer's coins. */
export async function buy(
  trader: Trader,
  slug: string,
  agreement: PurchaseAgreement,
): Promise<Answer<'submitPurchase'> & { costSats: number }> {
  const { body, costSats } = await preparePurchase(trader, slug, agreement)
  return { ...(await trader.client.call('submitPurchase', { params: { slug }, body })), costSats }
}

/** Everything of `buy` but the submit. */
export async function preparePurchase(
  trader: Trader,
  slug: string,
  agreement: PurchaseAgreement,
): Promise<{ body: Body<'submitPurchase'>; answer: Answer<'preflightPurchase'>; costSats: number }> {
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
    body: { ...request, purchaseAnchorUtxoId, selectedPaymentUtxos, signedSteps },
    answer,
    costSats: plan.costSats,
  }
}

/**
 * The coin of an inscription as the market's reads tell it, for a buyer without a source of their own. Listings say what it holds;
 * of other rows `valueSats` must be known from elsewhere. Throws CheckFailed.
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
  demand(
    txid !== null && vout !== null && locationSatpoint !== null,
    'the market does not know where the inscription is',
  )
  demand(valueSats !== undefined, 'the market does not say what the coin of the inscription holds')
  return { txid, vout, valueSats, offset: Number(locationSatpoint.split(':').at(-1)) }
}
