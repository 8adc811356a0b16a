import { type Fragment, first, type Queryable } from '@ordbook/db/driver/connect.ts'
import { acceptanceRate, MIN_NET_SATS } from './bid-economics.ts'

/** `netSats` is the seller's net after all fees. */
export interface BestBid {
  offerId: string
  priceSats: number
  netSats: number
}

interface BidFilter {
  /** Bids of this profile are excluded. */
  profileId: string
  now: Date
  feeRateSatVb: number
}

/** Returns the best bid on each inscription, in the order of the ids. */
export function listBestBids(
  sql: Queryable,
  inscriptionIds: readonly string[],
  { profileId, now, feeRateSatVb }: BidFilter,
) {
  return sql<(BestBid & { inscriptionId: string; collectionSlug: string | null })[]>`
    select w.inscription_id, b.offer_id, b.price_sats, b.net_sats,
      (select c.slug from collection_offers o join collections c using (collection_id) where o.offer_id = b.offer_id)
        as collection_slug
    from unnest(${inscriptionIds as string[]}::text[]) with ordinality as w (inscription_id, n), lateral (
      select b.* from bids_on(w.inscription_id, ${profileId}, ${now}, ${feeRateSatVb}, ${acceptanceRate(feeRateSatVb)}) b
      where b.net_sats >= ${MIN_NET_SATS} order by b.net_sats desc, b.price_sats desc, b.created_at, b.offer_id limit 1) b
    order by w.n`
}

/** Condition on offers `o`: bids of buyers that can be accepted. */
export const isBid = (sql: Queryable, now: Date) => sql`
  o.kind = 'buyer_offer' and o.state = 'active' and o.executable and o.expires_at > ${now}`

export const topOfferOf = (sql: Queryable, inscriptionId: Fragment, now: Date) => sql`
  (select max(o.price_sats) from offers o where o.inscription_id = ${inscriptionId} and ${isBid(sql, now)})`

/**
 * Returns a listing with a bid that pays the seller more, and that bid. Includes bids on other inscriptions on its sat. It may not be the
 * best bid.
 */
export function findBidAbove(
  sql: Queryable,
  listings: readonly { inscriptionId: string; priceSats: number; receiveSats: number }[],
  { profileId, now, feeRateSatVb }: BidFilter,
) {
  return first(sql<(BestBid & { inscriptionId: string; receiveSats: number })[]>`
    select i.inscription_id, i.receive_sats, bid.offer_id, bid.price_sats, bid.net_sats
    from unnest(${listings.map((each) => each.inscriptionId)}::text[], ${listings.map((each) => each.priceSats)}::bigint[],
        ${listings.map((each) => each.receiveSats)}::bigint[])
        with ordinality as i (inscription_id, price_sats, receive_sats, n)
      join inscription_rows own using (inscription_id)
      join inscription_rows bundled on bundled.sat_id = own.sat_id,
      lateral (
        select offer_id, price_sats, net_sats
        from bids_on(bundled.inscription_id, ${profileId}, ${now}, ${feeRateSatVb}, ${acceptanceRate(feeRateSatVb)})
        where price_sats > i.price_sats and net_sats > greatest(i.receive_sats, ${MIN_NET_SATS - 1}) limit 1) bid
    order by i.n limit 1`)
}

/** Records which bids are executable at a fee rate. Returns the number of changed bids. */
export async function setExecutable(sql: Queryable, feeRateSatVb: number): Promise<number> {
  const bids = await sql`
    update collection_offers set executable = not executable
    where state = 'active' and executable <>
      (seller_net(receive_sats, settlement_vsize, package_vsize, paid_sats, ${feeRateSatVb}::float8)
        >= ${MIN_NET_SATS}) returning 1`
  const offers = await sql`
    update offers set executable = not executable
    where state = 'active' and kind = 'buyer_offer' and executable <>
      (seller_net(receive_sats, settlement_vsize, package_vsize, paid_sats, ${acceptanceRate(feeRateSatVb)}::float8)
        >= ${MIN_NET_SATS}) returning 1`
  return bids.length + offers.length
}

export async function insertDecline(
  sql: Queryable,
  decline: { inscriptionId: string; ownerScript: Uint8Array; now: Date },
): Promise<void> {
  const { inscriptionId, ownerScript, now } = decline
  await sql`
    insert into declined_bids (inscription_id, owner_script, declined_at) values (${inscriptionId}, ${ownerScript}, ${now})
    on conflict (inscription_id) do update set owner_script = excluded.owner_script, declined_at = excluded.declined_at
      where declined_bids.owner_script <> excluded.owner_script`
}

export async function deleteDecline(sql: Queryable, inscriptionId: string): Promise<void> {
  await sql`delete from declined_bids where inscription_id = ${inscriptionId}`
}

export async function areBidsDeclined(sql: Queryable, inscriptionId: string): Promise<boolean> {
  const [row] = await sql<{ declined: boolean }[]>`select declines_bids(${inscriptionId}) as declined`
  return row!.declined
}

/** Deletes declines by previous owners. */
export async function deleteStaleDeclines(sql: Queryable): Promise<void> {
  await sql`
    delete from declined_bids d using inscriptions i
    where i.inscription_id = d.inscription_id and i.owner_script is distinct from d.owner_script`
}
