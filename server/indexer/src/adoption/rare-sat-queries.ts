import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import type { RareSatRow } from '../inscriptions/queries.ts'

interface BlockAt {
  height: number
  blockHash: string
}

/** Returns the last block before the index whose rare sats are stored, or null. */
export async function findRareSatsRead(sql: Queryable): Promise<BlockAt | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'rare_sats_read'`
  if (!row) return null
  const [height, blockHash] = row.value.split(' ')
  return { height: Number(height), blockHash: blockHash! }
}

export async function setRareSatsRead(tx: Transaction, { height, blockHash }: BlockAt): Promise<void> {
  await tx`
    insert into settings (name, value) values ('rare_sats_read', ${`${height} ${blockHash}`})
    on conflict (name) do update set value = excluded.value`
}

/** Returns all rare sats that were not lost. */
export function listRareSats(sql: Queryable): Promise<RareSatRow[]> {
  return sql<RareSatRow[]>`
    select coalesce(txid, '') as txid, coalesce(vout, 0) as vout, coalesce(sat_offset, 0) as sat_offset, born_height
    from rare_sats where txid is not null`
}
