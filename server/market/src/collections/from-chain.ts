import { randomUUID } from 'node:crypto'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { type Attributes, readProperties } from '@ordbook/indexer/inscriptions/properties.ts'
import { findInscription, keepActive, lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import { Turns } from '@ordbook/indexer/turns.ts'
import {
  type ChainCollection,
  findProperties,
  findSlugOwner,
  insertChainCollection,
  listChildren,
  listFurtherParents,
  type NewItem,
  type PropertiesRow,
  renameCollection,
  replaceItems,
  updateSources,
} from './import-queries.ts'
import { rankItems } from './new-children-queries.ts'
import { storedText } from './stored-text.ts'
import { fitsIndex, MAX_TRAITS } from './traits.ts'

/**
 * Collections defined on chain (ord handbook, "Provenance" and "Properties"). Only the owner of a parent can create its children, but
 * anyone can list inscriptions in a gallery. The operator chooses the collections.
 */
type ChainKind = ChainCollection['kind']

const MAX_TEXT = 520

export interface ChainSource {
  kind: ChainKind
  /** A gallery, or the parents of the children. */
  sourceIds: readonly string[]
}

/** Adds a collection of an inscription's children or gallery items. Returns the number of items. */
export async function addChainCollection(
  sql: Sql,
  {
    kind,
    sourceId,
    slug,
    name,
    now,
  }: { kind: ChainKind; sourceId: string; slug: string; name: string; now: Date },
): Promise<number> {
  if (!parseInscriptionId(sourceId)) throw new Error(`${sourceId} is not an inscription id.`)
  if (!/^[a-z0-9_-]+$/.test(slug)) throw new Error(`${slug} is not a valid slug. Use a-z, 0-9, - and _.`)
  return inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    if (!(await findInscription(tx, sourceId)))
      throw new Error(
        `${sourceId} is not in the index. Check the id, or wait until the index has reached its block.`,
      )
    return (await createChainCollection(tx, { kind, sourceIds: [sourceId], slug, name }, now)).items
  })
}

/** Creates a collection in a transaction that holds the index lock. Throws an Error if its slug or source is taken. */
export async function createChainCollection(
  tx: Transaction,
  { kind, sourceIds, slug, name }: ChainSource & { slug: string; name: string },
  now: Date,
): Promise<{ collectionId: string; items: number }> {
  if (await findSlugOwner(tx, slug)) throw new Error(`Collection ${slug} already exists.`)
  const collection = { collectionId: randomUUID(), kind, sourceId: sourceIds[0]!, slug, name }
  if (!(await insertChainCollection(tx, collection, now)))
    throw new Error(`A collection of this ${kind === 'gallery' ? 'gallery' : 'parent'} already exists.`)
  await updateSources(tx, collection.collectionId, kind, sourceIds)
  const { items } = await refresh(tx, collection, { isDefined: true })
  return { collectionId: collection.collectionId, items }
}

/** Changes the sources of a collection and its items. Throws an Error if the index has no items for them, or they are taken. */
export async function changeSources(
  tx: Transaction,
  { collectionId, slug, name }: { collectionId: string; slug: string; name: string },
  { kind, sourceIds }: ChainSource,
): Promise<{ items: number; removed: string[] }> {
  if (!(await updateSources(tx, collectionId, kind, sourceIds)))
    throw new Error(`Another collection is defined by ${sourceIds[0]}.`)
  const changed = { collectionId, kind, sourceId: sourceIds[0]!, slug, name }
  const result = await refresh(tx, changed, { isDefined: true })
  if (result.items === 0 && result.removed.length > 0)
    throw new Error(`The index has no inscriptions of ${sourceIds.join(', ')}. Wait until they are indexed.`)
  return result
}

/** Changes a collection's slug, and its name unless null. */
export async function renameTo(sql: Sql, slug: string, newSlug: string, name: string | null): Promise<void> {
  if (!/^[a-z0-9_-]+$/.test(newSlug))
    throw new Error(`${newSlug} is not a valid slug. Use a-z, 0-9, - and _.`)
  await inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    const collection = await findSlugOwner(tx, slug)
    if (!collection) throw new Error(`Collection ${slug} not found.`)
    const slugOwner = await findSlugOwner(tx, newSlug)
    if (slugOwner && slugOwner.collectionId !== collection.collectionId)
      throw new Error(`Another collection already uses the slug ${newSlug}.`)
    await renameCollection(tx, collection.collectionId, { slug: newSlug, name })
  })
}

/**
 * Updates the items of a collection and what is derived from them. `isDefined`: reads all properties, because the sources of the collection
 * are new.
 */
export async function refresh(
  tx: Transaction,
  collection: ChainCollection,
  { isDefined = false } = {},
): Promise<{ items: number; removed: string[] }> {
  const { collectionId, kind, sourceId, name } = collection
  const items =
    kind === 'gallery'
      ? await galleryItemsOf(tx, sourceId)
      : await childrenOf(tx, isDefined ? { ...collection, collectionId: null } : collection, [
          sourceId,
          ...(await listFurtherParents(tx, collectionId)),
        ])
  const seen = new Set<string>()
  const unique = items.filter(({ inscriptionId }) => !seen.has(inscriptionId) && seen.add(inscriptionId))
  const { changed, removed } = await replaceItems(
    tx,
    collectionId,
    unique.map((item, n) => ({ ...item, name: item.name || `${name} #${n + 1}` })),
  )
  // A block may have added the items already, without ranks.
  if (changed === 0) await rankItems(tx, collectionId)
  return { items: unique.length, removed }
}

/** Returns the item of an inscription, with an empty name without a title. */
function itemOf(inscriptionId: string, { title, traits }: Attributes): NewItem {
  const fits = (text: string) => text.length > 0 && text.length <= MAX_TEXT
  const found: NewItem['traits'][number][] = []
  for (const each of traits) {
    if (found.length === MAX_TRAITS) break
    const trait = { type: clean(each.type), value: clean(each.value) }
    if (fits(trait.type) && fits(trait.value) && fitsIndex(trait)) found.push(trait)
  }
  return { inscriptionId, name: clean(title ?? ''), traits: found }
}

const clean = (text: string) => {
  const cut = storedText(text).slice(0, MAX_TEXT)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

async function galleryItemsOf(tx: Transaction, galleryId: string): Promise<NewItem[]> {
  const found = await findProperties(tx, galleryId)
  if (!found) return []
  const { gallery } = readProperties(found.properties, found.propertyEncoding)
  return gallery.map(({ inscriptionId, ...attributes }) => itemOf(inscriptionId, attributes))
}

async function childrenOf(
  tx: Transaction,
  itemsOf: Parameters<typeof listChildren>[1],
  parentIds: readonly string[],
): Promise<NewItem[]> {
  const children = await listChildren(tx, itemsOf, parentIds)
  const read = await readItems(
    tx,
    children.filter(({ known }) => !known),
  )
  return children.map(({ inscriptionId, known }) =>
    known ? { inscriptionId, ...known } : read.get(inscriptionId)!,
  )
}

/**
 * Reads the items of inscriptions one by one, and keeps the transaction active: properties of 200 kB can take a second, and a block can
 * have many.
 */
export async function readItems(
  tx: Transaction,
  rows: readonly PropertiesRow[],
): Promise<Map<string, NewItem>> {
  const turns = new Turns(() => keepActive(tx))
  const items = new Map<string, NewItem>()
  for (const { inscriptionId, properties, propertyEncoding } of rows) {
    items.set(inscriptionId, itemOf(inscriptionId, readProperties(properties, propertyEncoding)))
    if (turns.isDue) await turns.take()
  }
  return items
}
