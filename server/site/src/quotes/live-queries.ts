import type { Queryable } from '@ordbook/db/driver/connect.ts'

export interface LiveListing {
  inscriptionId: string
  listingId: string
  priceSats: number
  state: 'buyable' | 'hidden_locked' | 'pending_public'
}

/** Lists the live listings of the inscriptions' coins. */
export function listLiveListings(
  sql: Queryable,
  inscriptionIds: readonly string[],
  now: Date,
): Promise<LiveListing[]> {
  return sql<LiveListing[]>`
    select asked.id as inscription_id, l.listing_id, l.price_sats, l.state
    from unnest(${inscriptionIds as string[]}::text[]) as asked (id) cross join lateral live_listing_with(asked.id) l
    where l.expires_at is null or l.expires_at > ${now}`
}

export function listPostage(
  sql: Queryable,
  inscriptionIds: readonly string[],
): Promise<{ inscriptionId: string; valueSats: number }[]> {
  return sql<{ inscriptionId: string; valueSats: number }[]>`
    select inscription_id, coalesce(output_value_sats, 0) as value_sats from inscriptions
    where inscription_id = any(${inscriptionIds as string[]}::text[]) and output_value_sats is not null`
}
