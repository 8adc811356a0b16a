import { type Fragment, limitOf, type Queryable } from '../db/connect.ts'

/** The activity of the market, newest first. */

export interface ActivityRow {
  key: string
  kind: 'listed' | 'delisted' | 'expired' | 'sold' | 'invalidated'
  at: Date
  atText: string
  inscriptionId: string
  itemName: string | null
  inscriptionNumber: number | null
  contentType: string | null
  slug: string | null
  priceSats: number
  fromScript: Uint8Array | null
  toScript: Uint8Array | null
  txid: string | null
  external: boolean
}

/** Events of listings and sales, newest first. */
export function listActivityRows(
  sql: Queryable,
  page: {
    slug: string | null
    inscriptionId: string | null
    script: Uint8Array | null
    after: { at: string; key: string } | null
    rows: number
  },
): Promise<ActivityRow[]> {
  const { slug, inscriptionId, script, after, rows } = page
  const about = (alias: Fragment) => sql`
    ${
      slug === null
        ? sql``
        : sql`and exists (select 1 from collection_items m join collections c using (collection_id)
        where m.inscription_id = ${alias}.inscription_id and c.slug = ${slug})`
    }
    ${inscriptionId === null ? sql`` : sql`and ${alias}.inscription_id = ${inscriptionId}`}`
  const older = (at: Fragment, key: Fragment) =>
    after === null ? sql`` : sql`and (${at}, ${key}) < (${after.at}::text::timestamptz, ${after.key}::text)`
  return sql<ActivityRow[]>`
    with happened as (
      (select 'e' || e.event_id as key,
        case e.to_state when 'buyable' then 'listed' when 'cancelled' then 'delisted' else e.to_state end as kind,
        e.occurred_at as at, l.inscription_id, l.price_sats, l.seller_script as from_script, null::bytea as to_script,
        null as txid, false as external
      from order_events e join listings l using (listing_id)
      where (e.to_state = 'buyable' and e.from_state is null or e.to_state in ('cancelled', 'expired', 'invalidated')
          and e.from_state is distinct from e.to_state)
        -- A sale ends the other listing of its inscription: the sale says it all.
        and not (e.to_state = 'invalidated' and exists (
          select 1 from sales s where s.inscription_id = l.inscription_id and s.height = e.height)) ${about(sql`l`)}
        ${script === null ? sql`` : sql`and l.seller_script = ${script}`}
        ${older(sql`e.occurred_at`, sql`'e' || e.event_id`)}
      order by e.occurred_at desc, 'e' || e.event_id desc limit ${limitOf(sql, rows)})
      union all
      (select 's' || s.sale_id, 'sold', s.sold_at, s.inscription_id, s.price_sats, s.seller_script, s.buyer_script, s.txid,
        s.sale_type = 'external'
      from sales s where true ${about(sql`s`)}
        ${script === null ? sql`` : sql`and (s.seller_script = ${script} or s.buyer_script = ${script})`}
        ${older(sql`s.sold_at`, sql`'s' || s.sale_id`)}
      order by s.sold_at desc, 's' || s.sale_id desc limit ${limitOf(sql, rows)})
    )
    select h.*, h.at::text as at_text, m.item_name, m.slug, i.inscription_number,
      coalesce(d.content_type, i.content_type) as content_type
    from (select * from happened order by at desc, key desc limit ${limitOf(sql, rows)}) h
    left join inscriptions i using (inscription_id)
    left join inscriptions d on d.inscription_id = i.delegate_id
    left join lateral (select m.item_name, c.slug from collection_items m join collections c using (collection_id)
      where m.inscription_id = h.inscription_id order by c.slug limit 1) m on true
    order by h.at desc, h.key desc`
}
