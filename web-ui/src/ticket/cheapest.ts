import type { Answer, Input } from '@ordbook/sdk/operations.ts'
import { client } from '../api/client.ts'
import type { CartLine } from '../rules/cart-lines.ts'

type Item = Answer<'browseItems'>['items'][number]

/** Over-fetch, because some of the cheapest items can belong to the visitor. */
const SPARE_ROWS = 20

/** Returns null if the item is not for sale. */
export const lineOf = (item: Item): CartLine | null =>
  item.listingState === 'buyable' && item.listingId && item.priceSats
    ? {
        inscriptionId: item.inscriptionId,
        listingId: item.listingId,
        slug: item.collection,
        name: item.name,
        priceSats: item.priceSats,
        contentType: item.rawContentType,
      }
    : null

/** Returns the cheapest items of a sweep. Excludes items of `owner` and those in `except`. */
export async function cheapestOf(
  slug: string,
  sweep: string,
  {
    count,
    owner,
    except = new Set(),
  }: { count: number; owner: string | undefined; except?: ReadonlySet<string> },
): Promise<CartLine[]> {
  const filters: Input<'browseItems'>['query'] = JSON.parse(sweep)
  const { items } = await client.call('browseItems', {
    params: { slug },
    query: {
      ...filters,
      sort: 'price',
      listed: true,
      limit: Math.min(100, count + except.size + SPARE_ROWS),
    },
  })
  return items
    .filter((item) => item.owner !== owner && !except.has(item.inscriptionId))
    .flatMap((item) => lineOf(item) ?? [])
    .slice(0, count)
    .map((line) => ({ ...line, sweep }))
}

/** Returns replacements for unavailable lines of a sweep, or none if a request fails. */
export async function replacementsOf(
  removed: readonly CartLine[],
  lines: readonly CartLine[],
  owner: string | undefined,
): Promise<CartLine[]> {
  const except = new Set(lines.map((line) => line.inscriptionId))
  const found: CartLine[] = []
  for (const [, soldLines] of Map.groupBy(removed, ({ slug, sweep }) => `${slug} ${sweep}`)) {
    const [{ slug, sweep }] = soldLines as [CartLine]
    if (sweep === undefined) continue
    found.push(...(await cheapestOf(slug, sweep, { count: soldLines.length, owner, except }).catch(() => [])))
  }
  return found
}
