import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { Member } from '@ordbook/market/collections/queries.ts'
import { openEntry } from '../collections/collection-queries.ts'

/** Items of the whole market. Each query reads a limited number of the newest entries. */

const LOOKED_AT = 500
const MAX_ITEMS = 12
/** Maximum items per collection, so that one collection cannot fill the page. */
const MAX_OF_ONE = 3

/** Lists the latest listings within 5% of the collection's floor (index listings_recent). */
export function listNearFloors(sql: Queryable, now: Date): Promise<Member[]> {
  return sql<Member[]>`
    select collection_id, inscription_id from (
      select collection_id, b.inscription_id, b.listed_at,
        row_number() over (partition by collection_id order by b.listed_at desc, b.inscription_id) as place
      from (select listing_id, collection_id from listings l
          where l.state = 'buyable' and (l.expires_at is null or l.expires_at > ${now})
          order by l.listed_at desc, l.listing_id desc limit ${limitOf(sql, LOOKED_AT)}) l
        join book_entries b using (listing_id, collection_id) join collection_floors f using (collection_id)
      where ${openEntry(sql, now)} and b.price_sats * 100 <= f.floor_sats * 105) near
    where place <= ${MAX_OF_ONE} order by listed_at desc, inscription_id limit ${limitOf(sql, MAX_ITEMS)}`
}

export function listInscribedLast(sql: Queryable): Promise<Member[]> {
  return sql<Member[]>`
    select m.collection_id, i.inscription_id
    from (select inscription_id, sequence from inscription_rows order by sequence desc limit ${limitOf(sql, LOOKED_AT)}) i,
      lateral (select collection_id from collection_items m where m.inscription_id = i.inscription_id
        order by collection_id limit 1) m
    order by i.sequence desc limit ${limitOf(sql, MAX_ITEMS)}`
}
