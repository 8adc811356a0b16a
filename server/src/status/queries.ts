import type { Queryable } from '../db/connect.ts'

/** The numbers of orders and settlements under way (partial indexes of live rows). */
export function countLive(sql: Queryable): Promise<{ kind: string; state: string; count: number }[]> {
  return sql<{ kind: string; state: string; count: number }[]>`
    select 'listing' as kind, state, count(*) as count from listings
      where state in ('buyable', 'hidden_locked', 'pending_public') group by state
    union all select 'offer', state, count(*) from offers where state in ('active', 'accepting') group by state
    union all select 'collection_offer', state, count(*) from collection_offers
      where state in ('active', 'filling') group by state
    union all select 'settlement', state, count(*) from settlements
      where state in ('intended', 'broadcast') group by state`
}
