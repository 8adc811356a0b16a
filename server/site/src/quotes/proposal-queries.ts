import type { Queryable } from '@ordbook/db/driver/connect.ts'

export interface GivenRow {
  inscriptionId: string
  valueSats: number
  /** First collection by slug. */
  collectionId: string | null
}

/** Lists coins and collections of offered inscriptions. */
export function listGiven(sql: Queryable, inscriptionIds: readonly string[]): Promise<GivenRow[]> {
  return sql<GivenRow[]>`
    select i.inscription_id, coalesce(i.output_value_sats, 0) as value_sats, (
      select m.collection_id from collection_items m join collections c using (collection_id)
      where m.inscription_id = i.inscription_id order by c.slug limit 1) as collection_id
    from inscriptions i
    where i.inscription_id = any(${inscriptionIds as string[]}::text[]) and i.output_value_sats is not null`
}
