import { limitOf, type Queryable } from '../db/connect.ts'

/**
 * The highest among the floors of the traits of each inscription, in the collection in which it is traded. The floors are those among
 * the `most` cheapest open book entries of each collection (index book_entries_price); items without a listed trait are left out.
 */
export function listTraitFloors(
  sql: Queryable,
  inscriptionIds: readonly string[],
  { now, most }: { now: Date; most: number },
): Promise<{ inscriptionId: string; floorSats: number }[]> {
  return sql<{ inscriptionId: string; floorSats: number }[]>`
    with wanted as materialized (
      select w.id as inscription_id, m.collection_id, t.type, t.value
      from unnest(${inscriptionIds as string[]}::text[]) as w (id), lateral (
          select m.collection_id, m.traits from collection_items m join collections c using (collection_id)
          where m.inscription_id = w.id order by c.slug limit 1) m,
        jsonb_to_recordset(m.traits) as t (type text, value text)
    ), floors as (
      select k.collection_id, t.type, t.value, min(e.price_sats) as floor_sats
      from (select distinct collection_id from wanted) k cross join lateral (
          select b.listing_id, b.price_sats from book_entries b
          where b.collection_id = k.collection_id and b.closed_at is null and (b.expires_at is null or b.expires_at > ${now})
          order by (- b.price_sats) desc, b.listed_at desc, b.listing_id desc limit ${limitOf(sql, most)}) e
        join listings l using (listing_id)
        join collection_items m on m.collection_id = k.collection_id and m.inscription_id = l.inscription_id
        cross join lateral jsonb_to_recordset(m.traits) as t (type text, value text)
      group by 1, 2, 3
    )
    select w.inscription_id, max(f.floor_sats) as floor_sats from wanted w join floors f using (collection_id, type, value)
    group by 1`
}
