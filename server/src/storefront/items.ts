import { satributesOf } from '@ordbook/bitcoin/satributes.ts'
import type { browseItems as browseOperation } from '@ordbook/contract/storefront/collections.ts'
import { satRulesOf } from '../chain/rules.ts'
import { findCollection, listItemsById } from '../collections/queries.ts'
import { placeImages, renderedItem } from '../collections/rendered-item.ts'
import type { Context } from '../context.ts'
import { invalid, missing } from '../errors.ts'
import { paginationOf } from '../http/cursor.ts'
import type { PagedUseCase } from '../http/operations.ts'
import { type ItemFilter, listItemIds, listSats } from './collection-queries.ts'

const MOST_GROUPS = 8
const MOST_VALUES = 64

/** Items of a collection by any filter, each rendered. Throws missing, invalid. */
export const browseItems: PagedUseCase<typeof browseOperation> = async (
  context,
  cursors,
  { params, query },
) => {
  const { slug } = params
  const { reads, config, clock, publicUrl } = context
  const { limit = 48, sort = 'price', listed = false, cursor, ...filters } = query
  const scope = ['items', slug.toLowerCase(), sort, listed, filters]
  const after = cursors.decode(scope, cursor, [{ type: 'bigint' }, { type: 'text' }])
  const collection = await findCollection(reads, slug)
  if (!collection) throw missing('collection-unknown', `Collection ${slug.toLowerCase()} is not known here`)
  const { collectionId } = collection
  const now = clock()
  const found = await listItemIds(reads, {
    collectionId,
    sort,
    traits: traitsOf(filters.traits),
    listedOnly: listed,
    minSats: filters.minSats ?? null,
    maxSats: filters.maxSats ?? null,
    among: filters.satribute ? await withSatribute(context, collectionId, filters.satribute) : null,
    q: filters.q ?? null,
    after: after && { key: after[0], inscriptionId: after[1] },
    rows: limit + 1,
    now,
  })
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const rows = await listItemsById(
    reads,
    collectionId,
    page.map((each) => each.inscriptionId),
    now,
  )
  return {
    items: rows.map((row) => JSON.parse(placeImages(renderedItem(row, config), publicUrl))),
    total: found[0]?.total ?? 0,
    pagination: paginationOf(found.length, limit, () =>
      cursors.encode(scope, [last!.key, last!.inscriptionId]),
    ),
  }
}

async function withSatribute(
  { reads, config }: Context,
  collectionId: string,
  satribute: string,
): Promise<string[]> {
  const rules = satRulesOf(config.chain)
  return (await listSats(reads, collectionId))
    .filter(({ sat }) => satributesOf(sat, rules).includes(satribute))
    .map((row) => row.inscriptionId)
}

function traitsOf(text: string | undefined): ItemFilter['traits'] {
  if (text === undefined) return []
  const wrong = () =>
    invalid(
      'request-invalid',
      `traits must be JSON like [{"type":"Hat","values":["Cap"]}], at most ${MOST_GROUPS} types of ${MOST_VALUES} values`,
    )
  let groups: unknown
  try {
    groups = JSON.parse(text)
  } catch {
    throw wrong()
  }
  const isText = (each: unknown): each is string =>
    typeof each === 'string' && each.isWellFormed() && !each.includes('\0')
  if (!Array.isArray(groups) || groups.length > MOST_GROUPS) throw wrong()
  return groups.map((group: { type?: unknown; values?: unknown } | null) => {
    const type = group?.type
    const values = group?.values
    if (!isText(type) || !Array.isArray(values) || values.length > MOST_VALUES || !values.every(isText))
      throw wrong()
    return { type, values }
  })
}
