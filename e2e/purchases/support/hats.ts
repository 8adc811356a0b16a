import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCollections } from '@ordbook/market/collections/load.ts'
import type { TestMarket } from '../../support/market.ts'

/** Sets the trait Hat of a collection's items to Cap and None alternately. Adds the `more` traits to all items. */
export async function giveHats(
  { sql, dataDir }: TestMarket,
  slug: string,
  ids: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = join(dataDir, `traits-${slug}`)
  mkdirSync(join(folder, slug), { recursive: true })
  writeFileSync(join(folder, slug, 'meta.json'), JSON.stringify({ name: slug, slug }))
  const items = ids.map((id, n) => ({
    id,
    meta: {
      name: `${slug} #${n}`,
      attributes: Object.entries({ Hat: n % 2 === 0 ? 'Cap' : 'None', ...more }).map(
        ([trait_type, value]) => ({ trait_type, value }),
      ),
    },
  }))
  writeFileSync(join(folder, slug, 'inscriptions.json'), JSON.stringify(items))
  await loadCollections(sql, folder, { now: new Date() })
}
