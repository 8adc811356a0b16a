import { first, type Queryable } from '@ordbook/db/driver/connect.ts'

export interface IndexFaultRow {
  height: number
  blockHash: string
  txid: string | null
  reason: string
  since: Date
}

/** Returns the stored fault. `isIndexed`: the block is in the index, and the node left its branch. */
export function findIndexFault(sql: Queryable) {
  return first(sql<(IndexFaultRow & { isIndexed: boolean })[]>`
    select height, block_hash, txid, reason, since,
      exists (select 1 from blocks b where b.block_hash = f.block_hash) as is_indexed
    from index_fault f`)
}

/** Stores the block that cannot be indexed. For the same block, keeps `since` and a known `txid`. */
export async function setIndexFault(sql: Queryable, fault: IndexFaultRow): Promise<void> {
  await sql`
    insert into index_fault (height, block_hash, txid, reason, since)
    values (${fault.height}, ${fault.blockHash}, ${fault.txid}, ${fault.reason}, ${fault.since})
    on conflict (one) do update set height = excluded.height, block_hash = excluded.block_hash, reason = excluded.reason,
      txid = case when index_fault.block_hash = excluded.block_hash
        then coalesce(excluded.txid, index_fault.txid) else excluded.txid end,
      since = case when index_fault.block_hash = excluded.block_hash then index_fault.since else excluded.since end`
}

export async function clearIndexFault(sql: Queryable): Promise<void> {
  await sql`delete from index_fault`
}
