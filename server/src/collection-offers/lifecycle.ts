import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { CollectionOfferTerms } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { findBinding } from '../auth/queries.ts'
import { findFinalTime } from '../chain/queries.ts'
import type { Context } from '../context.ts'
import { inTransaction, type Transaction } from '../db/connect.ts'
import { unpack } from '../db/pack.ts'
import { unlockListing } from '../listings/lock.ts'
import { insertSale } from '../sales/queries.ts'
import { deleteBacking, insertBacking } from '../settlements/backing-queries.ts'
import type { Party } from '../settlements/broadcast.ts'
import type { RestingKind } from '../settlements/spent.ts'
import {
  findByFill,
  isRevivable,
  listExpired,
  listRevocable,
  lockActiveOf,
  moveCollectionOfferState,
  setRevoked,
} from './queries.ts'
import { type CollectionOfferState, MOVES } from './states.ts'

/**
 * Moves an offer; false when it was not in a state that allows the move. One that ends rests on no coins any more, but for
 * one that may come back with them.
 */
export async function moveCollectionOffer(
  tx: Transaction,
  offerId: string,
  to: CollectionOfferState,
  why: { reason: string | null; now: Date },
): Promise<boolean> {
  const live = to === 'active' || to === 'filling'
  const { reason, now } = why
  const moved = await moveCollectionOfferState(tx, offerId, MOVES[to], to, {
    reason,
    endedAt: live ? null : now,
  })
  if (moved && !live && to !== 'invalidated') await deleteBacking(tx, [offerId])
  return moved
}

/** Ends offers whose time is over, and tells the guardian of those that were taken back. */
export async function finishCollectionOffers({ sql, clock, time, guardian }: Context): Promise<void> {
  for (const { offerId, expiresAt } of time.isSettled() ? await listExpired(sql, clock()) : [])
    await inTransaction(sql, (tx) =>
      moveCollectionOffer(tx, offerId, 'expired', { reason: 'its time is over', now: expiresAt }),
    )
  const revocable = await listRevocable(sql)
  if (revocable.length === 0) return
  await guardian.revoke(revocable.map((each) => each.secretHash))
  await setRevoked(
    sql,
    revocable.map((each) => each.offerId),
    clock(),
  )
}

/** An offer whose coin is spent ends at once, and is there again with its coin. */
export const restingCollectionOffers: RestingKind = {
  activeOf: lockActiveOf,
  end: (tx, offerId, why) => moveCollectionOffer(tx, offerId, 'invalidated', why),
  async revive(tx, offerId, now) {
    if (await isRevivable(tx, offerId, now))
      await moveCollectionOffer(tx, offerId, 'active', { reason: null, now })
  },
}

/** What becomes of a fill. */
export const fillParty: Party = {
  async sent(tx, { settlementId }, now) {
    const offer = (await findByFill(tx, settlementId))!
    await moveCollectionOffer(tx, offer.offerId, 'filled', { reason: null, now })
  },
  async failed(tx, { settlementId }, { failure, gone, refused, now }) {
    const offer = (await findByFill(tx, settlementId))!
    const reason = `the fill failed: ${failure}`
    const { payments } = unpack<CollectionOfferTerms>(offer.terms)
    const own = new Set(payments.map(formatOutpoint))
    // A fill that fails for the seller's coin alone leaves the offer as it was, once it rests on its coins again.
    const lives = offer.expiresAt > (await findFinalTime(tx, now))
    const isOwn = (coin: Outpoint) => own.has(formatOutpoint(coin))
    const unexecutable = refused.some(isOwn)
    const open = lives && !unexecutable && !gone.some(isOwn)
    if (open && (await moveCollectionOffer(tx, offer.offerId, 'active', { reason: null, now })))
      await insertBacking(tx, offer.offerId, payments)
    else await moveCollectionOffer(tx, offer.offerId, 'invalidated', { reason, now })
    // It rests on nothing any more, or its coins would bring it back.
    if (unexecutable) await deleteBacking(tx, [offer.offerId])
    await unlockListing(tx, offer.filledInscriptionId!, { reason, now })
    return unexecutable ? 'the offer has ended' : null
  },
  async confirmed(tx, { settlementId, settlementTxid }, block) {
    const offer = (await findByFill(tx, settlementId))!
    const maker = await findBinding(tx, offer.walletBindingId)
    await insertSale(tx, {
      txid: settlementTxid,
      inscriptionId: offer.filledInscriptionId!,
      collectionId: offer.collectionId,
      sellerScript: offer.sellerScript,
      buyerScript: maker!.ordinalsScript,
      priceSats: offer.priceSats,
      soldAt: block.minedAt,
      height: block.height,
    })
  },
}
