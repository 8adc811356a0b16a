import type { Fragment, Queryable, Sql } from '@ordbook/db/driver/connect.ts'

export function listSlugs(sql: Queryable): Promise<{ collectionId: string; slug: string }[]> {
  return sql<
    { collectionId: string; slug: string }[]
  >`select collection_id, slug from collections order by slug`
}

/** Returns whether a collection has new items without ranks. */
export async function isStale(sql: Queryable, collectionId: string): Promise<boolean> {
  const rows = await sql`select 1 from stale_collections where collection_id = ${collectionId}`
  return rows.length === 1
}

/** Counts wrong rows in the derived tables of a collection. */
export async function countDifferences(
  sql: Queryable,
  collectionId: string,
): Promise<{ what: string; rows: number }[]> {
  const differing = (held: Fragment, right: Fragment) => sql`
    (select count(*) from ((${held} except ${right}) union all (${right} except ${held})) difference)`
  const table = (name: string) => sql`select * from ${sql(name)} where collection_id = ${collectionId}`
  const [row] = await sql<Record<string, number>[]>`
    select
      ${differing(table('book_entries'), sql`select * from book_entries_of(${collectionId})`)} as book_entries,
      ${differing(
        sql`select floor_sats, listed_count, next_expiry_at from collection_floors where collection_id = ${collectionId}`,
        sql`select * from floors_of(${collectionId})`,
      )} as floors,
      ${differing(table('floor_history'), sql`select * from floor_history_of(${collectionId}, '-infinity')`)} as floor_history,
      ${differing(table('collection_sales'), sql`select * from collection_sales_of(${collectionId})`)} as sales,
      ${differing(table('collection_volumes'), sql`select * from collection_volumes_of(${collectionId})`)} as volumes,
      ${differing(table('collection_transfers'), sql`select * from collection_transfers_of(${collectionId})`)} as transfers,
      ${differing(
        sql`select collection_id, owner_hash, item_count from collection_owners where collection_id = ${collectionId}`,
        sql`select * from collection_owners_of(${collectionId})`,
      )} as owners,
      ${differing(
        sql`select item_count, owner_count from collection_counts where collection_id = ${collectionId}`,
        sql`select (select count(*)::int from collection_items where collection_id = ${collectionId}),
          (select count(*)::int from collection_owners_of(${collectionId}))`,
      )} as counts,
      ${differing(table('trait_counts'), sql`select * from trait_counts_of(${collectionId})`)} as trait_counts,
      ${differing(
        sql`select inscription_id, rarity_rank from collection_items where collection_id = ${collectionId}`,
        sql`select * from rarity_ranks_of(${collectionId})`,
      )} as rarity_ranks`
  return Object.entries(row!).flatMap(([what, rows]) => (rows > 0 ? { what, rows } : []))
}

/** Counts proposals with a wrong availability or wrong collections. */
export async function countWrongProposals(sql: Queryable): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select count(*) as rows from proposals p
    where p.available is distinct from is_available(p.proposal_id, p.creator_script)
      or array(select collection_id from proposal_collections c where c.proposal_id = p.proposal_id order by 1)
        is distinct from array(select collection_id from proposal_collections_of(p.proposal_id) order by 1)`
  return row!.rows
}

/** Counts watched inscriptions whose location is missing or wrong. */
export async function countWrongPlaces(sql: Queryable): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select (select count(*) from watched_inscriptions w left join inscriptions i using (inscription_id)
        where (w.txid, w.vout, w.owner_script) is distinct from (i.txid, i.vout, i.owner_script))
      + (select count(*) from collection_items m
        where not exists (select 1 from watched_inscriptions w where w.inscription_id = m.inscription_id)) as rows`
  return row!.rows
}

export async function rebuildCollection(sql: Sql, collectionId: string): Promise<void> {
  await sql`select rebuild_collection(${collectionId})`
}

export async function rebuildProposals(sql: Queryable): Promise<void> {
  await sql`select refresh_proposals(array(select proposal_id from proposals))`
}
