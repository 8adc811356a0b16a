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

/** The offer of a request. */
export interface OfferPath {
  inscriptionId: string
  offerId: string
}

export const offerPathOf = ({ id, offerId }: { id: string; offerId: string }): OfferPath => ({
  inscriptionId: id,
  offerId,
})

/** The offer of a path. Throws missing. */
async function getOffer({ sql }: Context, { inscriptionId, offerId }: OfferPath): Promise<OfferRow> {
  const offer = await findOffer(sql, offerId)
  if (offer?.inscriptionId !== inscriptionId)
    throw missing('offer-unknown', `Offer ${offerId} on ${inscriptionId} is not known here`)
  return offer
}

/** Like `getOffer`, made by one side. Throws missing. */
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
        ? `${at.offerId} is a counter, not an offer`
        : `${at.offerId} is an offer, not a counter`,
    )
  return offer
}

/** Throws conflict unless the offer is active and in time. */
export function assertActive(
  { clock }: Pick<Context, 'clock'>,
  offer: { state: string; expiresAt: Date; reason: string | null },
): void {
  if (offer.state === 'accepting' || offer.state === 'filling')
    throw conflict('offer-being-accepted', 'This offer is being accepted right now')
  const state = offer.state === 'active' && offer.expiresAt <= clock() ? 'expired' : offer.state
  if (state !== 'active')
    throw conflict(
      'offer-not-active',
      `This offer is ${state}${offer.reason ? ` (${offer.reason})` : ''}: read it again`,
    )
}

/** Like `assertActive`, but also allows an offer that ended because of its coins, which would otherwise become active again. */
export function assertCancellable(
  context: Pick<Context, 'clock'>,
  offer: { state: string; expiresAt: Date; reason: string | null },
): void {
  if (offer.state !== 'invalidated' || offer.expiresAt <= context.clock()) assertActive(context, offer)
}

/** Throws forbidden unless the binding is of the buyer, whose payment address may have changed. */
export function assertBuyer(offer: OfferRow, binding: BindingRow): void {
  if (!equalBytes(offer.buyerScript, binding.ordinalsScript))
    throw forbidden('order-not-yours', "This offer was not made by or to this binding's wallet")
}

/** Throws forbidden unless the binding is the inscription owner's. */
function assertSeller(offer: OfferRow, binding: BindingRow): void {
  if (!equalBytes(offer.sellerScript, binding.ordinalsScript))
    throw forbidden('order-not-yours', "The inscription of this offer is not at this binding's address")
}

/** The offer of a call by the owner of its inscription, and the owner's binding. Throws missing or forbidden. */
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

/** The maker cancels an offer or a counter. */
export async function cancelOffer(context: Context, action: Action): Promise<OfferActionAnswer> {
  const offer = await getOffer(context, action)
  const binding = await getOwnBinding(context, action.session, action.walletBindingId)
  if (MAKERS[offer.kind] === 'buyer') assertBuyer(offer, binding)
  else assertSeller(offer, binding)
  return end(context, offer, 'cancelled', 'taken back by its maker')
}

/** The owner of the inscription declines an offer. */
export async function rejectOffer(context: Context, action: Action): Promise<OfferActionAnswer> {
  const offer = await getOfferBy(context, 'buyer', action)
  assertSeller(offer, await getOwnBinding(context, action.session, action.walletBindingId))
  return end(context, offer, 'rejected', 'declined by the owner')
}

/** The buyer declines a counter. */
export async function rejectCounter(context: Context, action: Action): Promise<OfferActionAnswer> {
  const offer = await getOfferBy(context, 'seller', action)
  assertBuyer(offer, await getOwnBinding(context, action.session, action.walletBindingId))
  return end(context, offer, 'rejected', 'declined by the buyer')
}

/** Ends an offer. A repeated call returns the same response, because the first may have been lost. */
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
  // The maker repeats the call until the signer's journal has the cancel. Otherwise a restored database could revive the offer.
  if (MAKERS[offer.kind] === 'seller') await sendFloors(context)
  else if (to === 'cancelled')
    await revokeOrders(context, [{ id: offer.offerId, expiresAt: offer.expiresAt }])
  return { offerId: offer.offerId, status: to }
}
