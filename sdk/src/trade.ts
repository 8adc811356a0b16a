import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { leafScriptsOf } from '@ordbook/bitcoin/psbt.ts'
import {
  checkListing,
  checkPurchase,
  cosignKeyOf,
  type ListingAgreement,
  type PurchaseAgreement,
} from './check.ts'
import type { Client } from './client.ts'
import { CheckFailed } from './errors.ts'
import type { Answer, Body } from './operations.ts'
import { allSigned } from './signing.ts'
import type { Wallet } from './wallet.ts'

/** A signed-in wallet at a market: preflight, check, sign, submit. */
export interface Trader {
  client: Client
  wallet: Wallet
  walletBindingId: string
  /** The market's co-sign key, hex; learnt at the first listing when not given, and held to from then on. */
  cosignKey?: string
  /** The same of its guardian, of collection-wide offers. */
  guardianKey?: string
}

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
  const { client, wallet, walletBindingId } = trader
  const request = {
    walletBindingId,
    ordinalsPublicKey: wallet.ordinalsPublicKey,
    items: agreements.map(({ inscriptionId, priceSats }) => ({ inscriptionId, priceSats })),
  }
  const answer = await client.call('preflightListing', { params: { slug }, body: request })
  const leaf = leafScriptsOf(answer.listings[0]!.psbts.find((step) => step.stepIndex === 1)!.psbtBase64)[0]
  if (!leaf) throw new CheckFailed('the settlement leg names no escrow leaf')
  trader.cosignKey ??= cosignKeyOf(leaf)
  checkListing(wallet, agreements, answer, { cosignKey: hexToBytes(trader.cosignKey) })
  const { recoveryPsbt } = answer
  const asked = [...answer.listings.flatMap((each) => each.psbts), recoveryPsbt]
  const signed = await allSigned(wallet, asked)
  const signedOf = (psbt: (typeof asked)[number]) => signed[asked.indexOf(psbt)]!.psbtBase64
  return {
    ...request,
    ...(durationDays ? { durationDays } : {}),
    anchors: answer.listings.map(({ inscriptionId, anchorUtxoId }) => ({ inscriptionId, anchorUtxoId })),
    signed: answer.listings.map(({ inscriptionId, psbts }) => ({
      inscriptionId,
      psbts: psbts.map((psbt) => ({ ...psbt, psbtBase64: signedOf(psbt) })),
    })),
    signedRecoveryPsbt: { ...recoveryPsbt, psbtBase64: signedOf(recoveryPsbt) },
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
  { client, wallet, walletBindingId }: Trader,
  slug: string,
  agreement: PurchaseAgreement,
): Promise<{ body: Body<'submitPurchase'>; answer: Answer<'preflightPurchase'>; costSats: number }> {
  const request = {
    walletBindingId,
    paymentPublicKey: wallet.paymentPublicKey,
    listings: agreement.items.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
    spendableUtxos: agreement.coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })),
    ...(agreement.roundUpDonation ? { roundUpDonation: true } : {}),
  }
  const answer = await client.call('preflightPurchase', { params: { slug }, body: request })
  const costSats = checkPurchase(wallet, agreement, answer)
  const [step] = answer.steps
  const psbtBase64 = await wallet.signPsbt(step!.psbtBase64, step!.inputsToSign)
  return {
    body: {
      ...request,
      purchaseAnchorUtxoId: answer.purchaseAnchorUtxoId,
      selectedPaymentUtxos: answer.selectedPaymentUtxos,
      signedSteps: [{ ...step!, psbtBase64 }],
    },
    answer,
    costSats,
  }
}

/** The coin of an item as the market's reads tell it, for a buyer without a source of their own. */
export function coinOfItem(item: { locationTxid: string | null; locationVout: number | null }): Outpoint {
  if (item.locationTxid === null || item.locationVout === null)
    throw new CheckFailed('the market does not know where the inscription is')
  return { txid: item.locationTxid, vout: item.locationVout }
}
