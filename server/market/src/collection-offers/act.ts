import type { cancelCollectionWideOffer as cancelOperation } from '@ordbook/contract/collection-offers.ts'
import type { AnswerOf, BodyOf } from '@ordbook/contract/operation.ts'
import { forbidden, missing } from '@ordbook/db/process/errors.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import { getOwnBinding } from '../auth/me.ts'
import { findBinding } from '../auth/queries.ts'
import { getCollection } from '../collections/inscriptions.ts'
import type { Context } from '../context.ts'
import { assertCancellable } from '../offers/act.ts'
import { endCollectionOffer, revokeCancelled } from './lifecycle.ts'
import { type CollectionOfferRow, findCollectionOffer } from './queries.ts'

export async function cancelCollectionOffer(
  context: Context,
  session: Session,
  at: { slug: string; offerId: string },
  { walletBindingId }: BodyOf<typeof cancelOperation>,
): Promise<AnswerOf<typeof cancelOperation>> {
  const { sql } = context
  const offer = await getCollectionOffer(context, at)
  await getOwnBinding(context, session, walletBindingId)
  const maker = await findBinding(sql, offer.walletBindingId)
  if (maker?.profileId !== session.profileId)
    throw forbidden('order-not-yours', 'This offer belongs to another wallet.')
  if (offer.state !== 'cancelled') {
    assertCancellable(context, offer)
    await endCollectionOffer(context, offer.offerId, 'cancelled', 'cancelled by its maker')
  }
  // A database restored from a backup could otherwise make the offer active again.
  await revokeCancelled(context)
  return { offerId: offer.offerId, status: 'cancelled' }
}

export async function getCollectionOffer(
  context: Context,
  { slug, offerId }: { slug: string; offerId: string },
): Promise<CollectionOfferRow> {
  const collection = await getCollection(context, slug)
  const offer = await findCollectionOffer(context.sql, offerId)
  if (offer?.collectionId !== collection.collectionId)
    throw missing('offer-unknown', `Offer ${offerId} on ${collection.slug} not found.`)
  return offer
}
