import { json, type Queryable } from '@ordbook/db/driver/connect.ts'
import { openEntry } from '../collections/collection-queries.ts'
import { collectionOf, type ItemFilter, inPrice, shown } from './item-order-queries.ts'

export interface TraitRow {
  type: string
  value: string
  count: number
  floorSats: number | null
}

export function listTraitRows(sql: Queryable, collectionId: string, now: Date): Promise<TraitRow[]> {
  return sql<TraitRow[]>`
    with floors as (
      select t.type, t.value, min(b.price_sats) as floor_sats
      from collection_items m join book_entries b using (collection_id, inscription_id), jsonb_to_recordset(m.traits) as t (type text, value text)
      where m.collection_id = ${collectionId} and ${openEntry(sql, now)} group by 1, 2
    )
    select c.trait_type as type, c.trait_value as value, c.item_count as count, f.floor_sats
    from trait_counts c left join floors f on f.type = c.trait_type and f.value = c.trait_value
    where c.collection_id = ${collectionId} order by c.trait_type, c.item_count desc, c.trait_value`
}

/** Lists traits under filters. A trait's values are counted without the filter on that trait. */
export function listFilteredTraitRows(sql: Queryable, filter: ItemFilter): Promise<TraitRow[]> {
  const { traits, now } = filter
  const collectionId = collectionOf(sql, filter)
  const groups = traits.map(({ type, values }) => ({ type, values }))
  return sql<TraitRow[]>`
    with items as (
      select m.inscription_id, m.traits, b.price_sats, array(
        select g.type from jsonb_to_recordset(${json(sql, groups)}) as g (type text, values jsonb)
        where not exists (select 1 from jsonb_to_recordset(m.traits) as t (type text, value text)
          where t.type = g.type and g.values ? t.value)) as missed
      from collection_items m left join book_entries b
        on b.collection_id = m.collection_id and b.inscription_id = m.inscription_id and ${openEntry(sql, now)}
      where m.collection_id = ${collectionId} ${shown(sql, { ...filter, traits: [] })} ${inPrice(sql, filter)}
    ),
    counted as (
      select t.type, t.value, count(distinct i.inscription_id)::int as count, min(i.price_sats) as floor_sats
      from items i, jsonb_to_recordset(i.traits) as t (type text, value text)
      where i.missed = '{}' or i.missed = array[t.type] group by 1, 2
    )
    select c.trait_type as type, c.trait_value as value, coalesce(n.count, 0) as count, n.floor_sats
    from trait_counts c left join counted n on n.type = c.trait_type and n.value = c.trait_value
    where c.collection_id = ${collectionId} order by c.trait_type, c.item_count desc, c.trait_value`
}
