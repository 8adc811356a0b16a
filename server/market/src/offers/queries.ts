import type { OfferKind } from '@ordbook/contract/offers.ts'
import { first, json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { type LegRow, legColumns } from '../escrows/leg-queries.ts'
import type { Taking } from '../settlements/bid-economics.ts'
import type { Expiring } from '../settlements/revocations.ts'
import type { OfferEventType, OfferState } from './states.ts'

/** The side that makes, signs and cancels each kind of offer. */
export const MAKERS: Readonly<Record<OfferKind, 'buyer' | 'seller'>> = {
  buyer_offer: 'buyer',
  seller_counter: 'seller',
}

export interface OfferRow {
  offerId: string
  kind: OfferKind
  parentOfferId: string | null
  collectionId: string
  inscriptionId: string
  buyerBindingId: string
  buyerScript: Uint8Array
  sellerScript: Uint8Array
  sellerBindingId: string | null
  priceSats: number
  postageSats: number
  economics: object
  terms: object
  signatures: object
  feeRateSatVb: number
  floorSats: number | null
  topOfferSats: number | null
  settlementTxid: string | null
  payoutTxid: string | null
  settlementId: string | null
  anchorUtxoId: string | null
  /** Handle of a counter-offer's recovery coin. */
  recoveryHandle: string | null
  transferTxid: string | null
  transferHeight: number | null
  state: OfferState
  reason: string | null
  createdAt: Date
  expiresAt: Date
  endedAt: Date | null
  /** False if the network fee exceeds the seller's proceeds. */
  executable: boolean
}

const columns = (sql: Queryable) => sql`
  o.offer_id, o.kind, o.parent_offer_id, o.collection_id, o.inscription_id, o.buyer_binding_id, o.buyer_script,
  o.seller_script, o.seller_binding_id, o.price_sats, o.postage_sats, o.economics, o.fee_rate_sat_vb,
  o.floor_sats, o.top_offer_sats, o.settlement_txid, o.payout_txid, o.settlement_id, o.anchor_utxo_id,
  o.recovery_handle, o.transfer_txid, o.transfer_height, o.state, o.reason, o.created_at, o.expires_at, o.ended_at,
  o.executable, o.terms, o.signatures`

export type NewOffer = Omit<
  OfferRow,
  'payoutTxid' | 'settlementId' | 'transferHeight' | 'state' | 'reason' | 'endedAt' | 'executable'
> & {
  /** Only for offers. */
  taking?: Taking
}

export async function insertOffer(tx: Transaction, row: NewOffer): Promise<void> {
  await tx`
    insert into offers (offer_id, kind, parent_offer_id, collection_id, inscription_id, buyer_binding_id, buyer_script,
      seller_script, seller_binding_id, price_sats, postage_sats, economics, terms, signatures, fee_rate_sat_vb, floor_sats,
      top_offer_sats, settlement_txid, anchor_utxo_id, recovery_handle, transfer_txid, state, created_at, expires_at, receive_sats,
      settlement_vsize, package_vsize, paid_sats)
    values (${row.offerId}, ${row.kind}, ${row.parentOfferId}, ${row.collectionId}, ${row.inscriptionId},
      ${row.buyerBindingId}, ${row.buyerScript}, ${row.sellerScript}, ${row.sellerBindingId}, ${row.priceSats}, ${row.postageSats},
      ${json(tx, row.economics)}, ${json(tx, row.terms)}, ${json(tx, row.signatures)}, ${row.feeRateSatVb},
      ${row.floorSats}, ${row.topOfferSats}, ${row.settlementTxid}, ${row.anchorUtxoId}, ${row.recoveryHandle},
      ${row.transferTxid}, 'active', ${row.createdAt}, ${row.expiresAt}, ${row.taking?.receiveSats ?? 0},
      ${row.taking?.settlementVsize ?? 0}, ${row.taking?.packageVsize ?? 0}, ${row.taking?.paidSats ?? 0})`
}

export async function insertEvent(
  tx: Transaction,
  { offerId, buyerScript, sellerScript }: Pick<OfferRow, 'offerId' | 'buyerScript' | 'sellerScript'>,
  event: { eventType: OfferEventType; reason: string | null; occurredAt: Date },
): Promise<void> {
  await tx`
    insert into offer_events (offer_id, event_type, reason, buyer_script, seller_script, occurred_at)
    values (${offerId}, ${event.eventType}, ${event.reason}, ${buyerScript}, ${sellerScript}, ${event.occurredAt})`
}

export function findOffer(sql: Queryable, offerId: string) {
  return first(sql<OfferRow[]>`select ${columns(sql)} from offers o where offer_id = ${offerId}`)
}

export function findBySettlement(sql: Queryable, settlementId: string) {
  return first(sql<OfferRow[]>`select ${columns(sql)} from offers o where settlement_id = ${settlementId}`)
}

export async function setSettlement(
  tx: Transaction,
  offerId: string,
  settlement: { settlementId: string; settlementTxid: string; payoutTxid: string | null },
): Promise<void> {
  await tx`
    update offers set settlement_id = ${settlement.settlementId}, settlement_txid = ${settlement.settlementTxid},
      payout_txid = ${settlement.payoutTxid} where offer_id = ${offerId}`
}

/**
 * Locks and returns the active offers among these. Omits offers whose counter-offer is being accepted, because that acceptance determines
 * their state.
 */
export async function lockActiveOf(tx: Transaction, offerIds: readonly string[]): Promise<string[]> {
  const rows = await tx<{ offerId: string }[]>`
    select offer_id from offers o where offer_id = any(${offerIds as string[]}::uuid[]) and state = 'active'
      and not exists (select 1 from offers c where c.parent_offer_id = o.offer_id and c.state = 'accepting')
    order by offer_id for update of o`
  return rows.map((row) => row.offerId)
}

/** Locks and returns an invalidated offer if it can become active again. */
export function findRevivable(tx: Transaction, offerId: string, now: Date) {
  return first(tx<OfferRow[]>`
    select ${columns(tx)} from offers o
    where offer_id = ${offerId} and state = 'invalidated' and expires_at > final_time(${now})
      and not exists (select 1 from offers s where s.settlement_txid = o.settlement_txid and o.kind <> 'seller_counter'
        and s.kind <> 'seller_counter' and s.state in ('active', 'accepting'))
      and (o.parent_offer_id is null or (
        exists (select 1 from offers p where p.offer_id = o.parent_offer_id and p.state = 'active')
        and not exists (select 1 from offers c where c.parent_offer_id = o.parent_offer_id
          and c.state in ('active', 'accepting'))))
    for no key update of o`)
}

export function lockOffer(tx: Transaction, offerId: string) {
  return first(tx<OfferRow[]>`
    select ${columns(tx)} from offers o where offer_id = ${offerId} for no key update`)
}

export function lockCounterOn(tx: Transaction, parentOfferId: string) {
  return first(tx<OfferRow[]>`
    select ${columns(tx)} from offers o where parent_offer_id = ${parentOfferId} and state in ('active', 'accepting')
    for no key update`)
}

export interface Minimums {
  /** Floor of the offer's collection. */
  selectedFloorSats: number | null
  /** Highest floor of its collections with trading enabled. */
  highestFloorSats: number | null
  /** Best offer on its verified collections, excluding the owner's. */
  collectionOfferSats: number | null
  topOfferSats: number | null
}

export async function findMinimums(
  sql: Queryable,
  of: { inscriptionId: string; collectionId: string; ownerScript: Uint8Array; now: Date },
): Promise<Minimums> {
  const { inscriptionId, collectionId, ownerScript, now } = of
  const floorOf = (collection: ReturnType<typeof sql>) => sql`
    (select a.price_sats from book_entries a where a.collection_id = ${collection} and a.closed_at is null
      and (a.expires_at is null or a.expires_at > ${now}) order by -a.price_sats desc limit 1)`
  const [row] = await sql<Minimums[]>`
    select ${floorOf(sql`${collectionId}::uuid`)} as selected_floor_sats,
      (select max(${floorOf(sql`m.collection_id`)}) from collection_items m join collections c using (collection_id)
        where m.inscription_id = ${inscriptionId} and c.trading_enabled) as highest_floor_sats,
      (select price_sats from best_collection_offer(${inscriptionId},
        (select profile_id from profiles where ordinals_script = ${ownerScript}), ${now}, true))
        as collection_offer_sats,
      (select price_sats from best_offer(${inscriptionId}, null, ${now})) as top_offer_sats`
  return row!
}

/** Returns the terms of an earlier unconfirmed counter-offer with an identical transfer. A new counter-offer can use its anchor. */
export async function findReusableTransfer(
  tx: Transaction,
  transfer: {
    inscriptionId: string
    offerId: string
    walletBindingId: string
    coin: { txid: string; vout: number }
    escrowForm: string
  },
): Promise<object | null> {
  const [row] = await tx<{ terms: object }[]>`
    select o.terms from offers o join market_coins c on c.reserved_for = o.anchor_utxo_id
    where o.inscription_id = ${transfer.inscriptionId} and o.kind = 'seller_counter'
      and o.seller_binding_id = ${transfer.walletBindingId} and o.transfer_height is null
      and o.terms #>> '{inscriptionCoin,txid}' = ${transfer.coin.txid}
      and (o.terms #>> '{inscriptionCoin,vout}')::bigint = ${transfer.coin.vout}
      and o.terms ->> 'escrowForm' = ${transfer.escrowForm}
      and (c.state = 'retired' or c.state = 'held' and o.state = 'active' and o.parent_offer_id = ${transfer.offerId})
    order by o.created_at desc limit 1`
  return row?.terms ?? null
}

/** Returns active and invalidated counter-offers. The market could still sign their transfers. */
export function listLiveCounters(sql: Queryable): Promise<(LegRow & { offerId: string })[]> {
  return sql<(LegRow & { offerId: string })[]>`
    select offer_id, ${legColumns(sql)} from offers
    where state in ('active', 'invalidated') and transfer_txid is not null`
}

/**
 * Returns the handles of recovery coins that ended counter-offers no longer need. A transfer in the mempool may still need its recovery.
 */
export async function listIdleCounterRecoveries(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ recoveryHandle: string }[]>`
    select o.recovery_handle
    from market_coins c join offers o on o.recovery_handle = c.reserved_for join inscriptions i using (inscription_id)
    where c.spent_height is null and c.spending_txid is null and o.state not in ('active', 'accepting')
      and case when o.transfer_height is null
        then not exists (select 1 from market_coins a where a.reserved_for = o.anchor_utxo_id and a.spent_height is null)
        else i.txid <> o.transfer_txid end`
  return rows.map((row) => row.recoveryHandle)
}

/** Returns ended counter-offers in escrow without a pending recovery. */
export function listStrandedCounters(sql: Queryable): Promise<OfferRow[]> {
  return sql<OfferRow[]>`
    select ${columns(sql)} from offers o join inscriptions i using (inscription_id)
    where o.transfer_height is not null and o.state in ('rejected', 'cancelled', 'expired', 'invalidated')
      and i.txid = o.transfer_txid
      -- If several counter-offers had the same transfer, only the latest has a recovery coin.
      and exists (select 1 from market_coins c where c.reserved_for = o.recovery_handle and c.state = 'held')
      and not exists (select 1 from market_transactions t
        where t.handle = o.offer_id and t.state in ('intended', 'confirmed'))`
}

export const listUnexpiredOffers = (sql: Queryable, states: readonly OfferState[], now: Date) => sql<
  Expiring[]
>`
  select offer_id as id, expires_at from offers
  where kind <> 'seller_counter' and state = any(${states as string[]}::text[]) and expires_at > ${now}`
