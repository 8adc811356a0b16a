import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { CounterTerms } from '@ordbook/bitcoin/trade/counter.ts'
import { escrowCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import type { OfferTerms } from '@ordbook/bitcoin/trade/offer.ts'
import type { OfferKind } from '@ordbook/contract/offers.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { unpack } from '@ordbook/db/driver/pack.ts'
import { findFinalTime } from '@ordbook/indexer/inscriptions/queries.ts'
import { endedOf, legOf } from '../escrows/legs.ts'
import { unlockListing } from '../listings/lock.ts'
import { insertSale } from '../sales/queries.ts'
import { deleteBacking } from '../settlements/backing-queries.ts'
import type { SettlementKind } from '../settlements/kinds.ts'
import type { SettlementRow } from '../settlements/queries.ts'
import { findUnsendable } from '../settlements/revocations.ts'
import { dependentOffers, moveOffer } from './lifecycle.ts'
import { findBySettlement, MAKERS, type OfferRow } from './queries.ts'

async function offerOf(tx: Transaction, { settlementId }: SettlementRow): Promise<OfferRow> {
  return (await findBySettlement(tx, settlementId))!
}

const offerHandlers: Omit<SettlementKind, 'name'> = {
  orders: [dependentOffers],
  async revoked({ sql, signer, clock }, { settlementId }) {
    const { offerId, expiresAt, kind, terms } = (await findBySettlement(sql, settlementId))!
    if (MAKERS[kind] === 'buyer') return findUnsendable({ signer, clock }, [{ id: offerId, expiresAt }])
    const ended = await endedOf(signer, [legOf(unpack<CounterTerms>(terms))])
    return ended.map(() => offerId)
  },
  async sent(tx, settlement, now) {
    const offer = await offerOf(tx, settlement)
    const isAccepted = await moveOffer(tx, offer.offerId, 'accepted', { reason: null, now })
    if (!isAccepted || offer.parentOfferId === null) return
    const reason = 'its buyer accepted a counter-offer'
    await moveOffer(tx, offer.parentOfferId, 'cancelled', { reason, now })
  },
  async failed(tx, settlement, { failure, gone, refused, revoked, now }) {
    const offer = await offerOf(tx, settlement)
    const reason = `the settlement failed: ${failure}`
    const unexecutable = revoked.length > 0 || isUnexecutable(offer, refused)
    const canReopen =
      gone.length === 0 &&
      !unexecutable &&
      offer.transferHeight === null &&
      offer.expiresAt > (await findFinalTime(tx, now))
    // An offer that was already shown as accepted does not become active again.
    if (!(canReopen && (await moveOffer(tx, offer.offerId, 'active', { reason: null, now }))))
      await moveOffer(tx, offer.offerId, 'invalidated', { reason, now })
    if (unexecutable) await deleteBacking(tx, [offer.offerId])
    await unlockListing(tx, offer.inscriptionId, { reason, now })
    return unexecutable ? 'the offer has ended' : null
  },
  async confirmed(tx, settlement, block) {
    const offer = await offerOf(tx, settlement)
    await insertSale(tx, {
      txid: settlement.settlementTxid,
      inscriptionId: offer.inscriptionId,
      collectionId: offer.collectionId,
      sellerScript: offer.sellerScript,
      buyerScript: offer.buyerScript,
      priceSats: offer.priceSats,
      soldAt: block.minedAt,
      height: block.height,
    })
  },
}

export const offerSettlementKinds: Readonly<Record<OfferKind, SettlementKind>> = {
  buyer_offer: { name: 'offer', ...offerHandlers },
  seller_counter: { name: 'counter', ...offerHandlers },
}

/** Returns true if the network rejected a coin that the maker signed. */
function isUnexecutable(offer: OfferRow, refused: readonly Outpoint[]): boolean {
  const signed =
    MAKERS[offer.kind] === 'buyer' ? unpack<OfferTerms>(offer.terms).payments : counterCoins(offer)
  const keys = new Set(signed.map(formatOutpoint))
  return refused.some((coin) => keys.has(formatOutpoint(coin)))
}

function counterCoins({ terms }: OfferRow): Outpoint[] {
  const counter = unpack<CounterTerms>(terms)
  return [counter.inscriptionCoin, escrowCoinOf(counter)]
}
