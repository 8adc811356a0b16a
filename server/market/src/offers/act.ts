import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import type { OfferActionAnswer } from '@ordbook/contract/offers.ts'
import { conflict, forbidden, missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { getOwnBinding } from '../auth/me.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { sendFloors } from '../escrows/floors.ts'
import { revokeOrders } from '../settlements/revocations.ts'
import { endOffer } from './lifecycle.ts'
import { findOffer, MAKERS, type OfferRow } from './queries.ts'

export interface OfferPath {
  inscriptionId: string
  offerId: string
}

export const offerPathOf = ({ id, offerId }: { id: string; offerId: string }): OfferPath => ({
  inscriptionId: id,
  offerId,
})

async function getOffer({ sql }: Context, { inscriptionId, offerId }: OfferPath): Promise<OfferRow> {
  const offer = await findOffer(sql, offerId)
  if (offer?.inscriptionId !== inscriptionId)
    throw missing('offer-unknown', `Offer ${offerId} on ${inscriptionId} not found.`)
  return offer
}

export async function getOfferBy(
  context: Context,
  maker: 'buyer' | 'seller',
  at: OfferPath,
): Promise<OfferRow> {
  const offer = await getOffer(context, at)
  if (MAKERS[offer.kind] !== maker)
    throw missing(
      'offer-unknown',
      maker === 'buyer'
        ? `${at.offerId} is a counter-offer, not an offer.`
        : `${at.offerId} is an offer, not a counter-offer.`,
    )
  return offer
}

/** Throws `conflict` unless the offer is active and unexpired. */
export function assertActive(
  { clock }: Pick<Context, 'clock'>,
  offer: { state: string; expiresAt: Date; reason: string | null },
): void {
  if (offer.state === 'accepting' || offer.state === 'filling')
    throw conflict('offer-being-accepted', 'This offer is already being accepted.')
  const state = offer.state === 'active' && offer.expiresAt <= clock() ? 'expired' : offer.state
  if (state !== 'active')
    throw conflict(
      'offer-not-active',
      `This offer is ${state}${offer.reason ? ` (${offer.reason})` : ''}. Reload the offer.`,
    )
}

/** Like `assertActive`, but allows an invalidated offer, which could become active again. */
export function assertCancellable(
  context: Pick<Context, 'clock'>,
  offer: { state: string; expiresAt: Date; reason: string | null },
): void {
  if (offer.state !== 'invalidated' || offer.expiresAt <= context.clock()) assertActive(context, offer)
}

/** Throws `forbidden` unless the binding has the buyer's ordinals address. */
export function assertBuyer(offer: OfferRow, binding: BindingRow): void {
  if (!equalBytes(offer.buyerScript, binding.ordinalsScript))
    throw forbidden('order-not-yours', 'This offer was not made by or to the wallet of this binding.')
}

function assertSeller(offer: OfferRow, binding: BindingRow): void {
  if (!equalBytes(offer.sellerScript, binding.ordinalsScript))
    throw forbidden(
      'order-not-yours',
      'The inscription of this offer is not at the ordinals address of this binding.',
    )
}

/** Returns an offer and the owner's binding. */
export async function offeredTo(
  context: Context,
  { session, params, body }: OwnerCall,
): Promise<{ offer: OfferRow; binding: BindingRow }> {
  const offer = await getOfferBy(context, 'buyer', offerPathOf(params))
  const binding = await getOwnBinding(context, session, body.walletBindingId)
  assertSeller(offer, binding)
  return { offer, binding }
}

interface OwnerCall {
  session: Session
  params: { id: string; offerId: string }
  body: { walletBindingId: string }
}

interface Action extends OfferPath {
  session: Session
  walletBindingId: string
}

/** Cancels an offer or counter-offer for its maker. Idempotent. */
export async function cancelOffer(context: Context, action: Action): Promise<OfferActionAnswer> {
  const offer = await getOffer(context, action)
  const binding = await getOwnBinding(context, action.session, action.walletBindingId)
  if (MAKERS[offer.kind] === 'buyer') assertBuyer(offer, binding)
  else assertSeller(offer, binding)
  return end(context, offer, 'cancelled', 'cancelled by its maker')
}

/** Declines an offer for the owner. Idempotent. */
export async function rejectOffer(context: Context, action: Action): Promise<OfferActionAnswer> {
  const offer = await getOfferBy(context, 'buyer', action)
  assertSeller(offer, await getOwnBinding(context, action.session, action.walletBindingId))
  return end(context, offer, 'rejected', 'declined by the owner')
}

/** Declines a counter-offer for the buyer. Idempotent. */
export async function rejectCounter(context: Context, action: Action): Promise<OfferActionAnswer> {
  const offer = await getOfferBy(context, 'seller', action)
  assertBuyer(offer, await getOwnBinding(context, action.session, action.walletBindingId))
  return end(context, offer, 'rejected', 'declined by the buyer')
}

async function end(
  context: Context,
  offer: OfferRow,
  to: 'cancelled' | 'rejected',
  reason: string,
): Promise<OfferActionAnswer> {
  if (offer.state !== to) {
    if (to === 'cancelled') assertCancellable(context, offer)
    else assertActive(context, offer)
    await endOffer(context, offer.offerId, to, reason)
  }
  // A database restored from a backup could otherwise make the offer active again.
  if (MAKERS[offer.kind] === 'seller') await sendFloors(context)
  else if (to === 'cancelled')
    await revokeOrders(context, [{ id: offer.offerId, expiresAt: offer.expiresAt }])
  return { offerId: offer.offerId, status: to }
}
