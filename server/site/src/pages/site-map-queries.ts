import type { Queryable } from '@ordbook/db/driver/connect.ts'

export function listSlugs(sql: Queryable, rows: number): Promise<{ slug: string }[]> {
  return sql`select slug from collections order by slug limit ${rows}`
}

/** Lists inscriptions for sale, latest listings first. */
export function listForSale(sql: Queryable, now: Date, rows: number): Promise<{ inscriptionId: string }[]> {
  return sql`
    select b.inscription_id
    from book_entries b
    where b.closed_at is null and (b.expires_at is null or b.expires_at > ${now})
    order by b.listed_at desc, b.listing_id limit ${rows}`
}
