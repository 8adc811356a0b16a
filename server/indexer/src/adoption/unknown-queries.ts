import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Facts that an index without an ord server lacks. */
export type Unknown = 'sat-numbers' | 'runes' | 'rare-sats'

/** Returns what the index does not know. `runes`: balances; `rare-sats`: those of blocks before the index. */
export async function findUnknown(sql: Queryable): Promise<Unknown[]> {
  const [row] = await sql<{ sats: string | null; read: number | null; first: number | null }[]>`
    select (select value from settings where name = 'sats') as sats,
      (select split_part(value, ' ', 1)::int from settings where name = 'rare_sats_read') as read,
      (select min(height) from blocks) as first`
  const { sats, read, first } = row!
  return [
    ...(sats === 'off' ? (['sat-numbers'] as const) : []),
    'runes',
    ...((first ?? 0) > (read ?? -1) + 1 ? (['rare-sats'] as const) : []),
  ]
}
