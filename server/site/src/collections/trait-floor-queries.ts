import type { Fragment, Queryable } from '@ordbook/db/driver/connect.ts'

export interface TraitFloorRow {
  inscriptionId: string
  collectionId: string
  type: string
  value: string
  floorSats: number
}

interface TraitFloors {
  inscriptionIds: readonly string[]
  /** Null: the collection in which each inscription trades. */
  collectionId: string | null
  now: Date
}

/**
 * Selects each inscription's trait with the highest floor. A trait's floor is its lowest open price in the collection. Inscriptions without
 * a listed trait are omitted.
 */
export const traitFloors = (
  sql: Queryable,
  { inscriptionIds, collectionId, now }: TraitFloors,
): Fragment => sql`
  with wanted as materialized (
    select w.id as inscription_id, m.collection_id, t.type, t.value
    from unnest(${inscriptionIds as string[]}::text[]) as w (id), lateral (
        select m.collection_id, m.traits from collection_items m join collections c using (collection_id)
        where m.inscription_id = w.id ${collectionId === null ? sql`` : sql`and m.collection_id = ${collectionId}`}
        order by c.slug limit 1) m,
      jsonb_to_recordset(m.traits) as t (type text, value text)
  ), floors as (
    select e.collection_id, t.type, t.value, min(e.price_sats) as floor_sats
    from (select distinct collection_id from wanted) k join book_entries e using (collection_id)
      join collection_items m on m.collection_id = e.collection_id and m.inscription_id = e.inscription_id
      cross join lateral jsonb_to_recordset(m.traits) as t (type text, value text)
    where e.closed_at is null and (e.expires_at is null or e.expires_at > ${now})
    group by 1, 2, 3
  )
  select distinct on (w.inscription_id) w.inscription_id, w.collection_id, f.type, f.value, f.floor_sats
  from wanted w join floors f using (collection_id, type, value)
  order by w.inscription_id, f.floor_sats desc, f.type, f.value`

export const listTraitFloors = (sql: Queryable, of: TraitFloors): Promise<TraitFloorRow[]> =>
  sql<TraitFloorRow[]>`${traitFloors(sql, of)}`
