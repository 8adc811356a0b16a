import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { Adopter } from '@ordbook/indexer/adoption/adopt.ts'
import { findBase } from '@ordbook/indexer/inscriptions/adopt-queries.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { updateSortKeys } from '@ordbook/market/collections/import-queries.ts'

export interface AdoptFrom {
  config: Config
  sql: Sql
  rpcUrl: string | null
}

/** Returns an adopter, or null if the index was not seeded from ord. */
export async function adopterOf({ config, sql, rpcUrl }: AdoptFrom): Promise<Adopter | null> {
  const base = await findBase(sql)
  if (base === null || !config.ordUrl || !rpcUrl) return null
  return new Adopter(sql, new CoreSource(rpcUrl), new Ord(config.ordUrl), base, updateSortKeys)
}

/** Adopts a gallery, or parents with their children. Does nothing if the index was not seeded from ord. */
export async function adoptSources(
  from: AdoptFrom,
  kind: 'parent_child' | 'gallery',
  sourceIds: readonly string[],
): Promise<void> {
  const adopter = await adopterOf(from)
  if (!adopter) return
  const ord = new Ord(from.config.ordUrl!)
  for (const sourceId of sourceIds) {
    const ids = [sourceId, ...(kind === 'parent_child' ? await ord.children(sourceId) : [])]
    for (let at = 0; at < ids.length; at += 500)
      if (!(await adopter.adopt(ids.slice(at, at + 500))))
        throw new Error('The ord server is behind the index. Wait until it catches up.')
  }
}
