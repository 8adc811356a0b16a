import { randomUUID } from 'node:crypto'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { type Attributes, readProperties } from '@ordbook/indexer/inscriptions/properties.ts'
import { lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import {
  type ChainCollection,
  type ChildRow,
  findProperties,
  findSlugOwner,
  insertChainCollection,
  listChainCollections,
  listChainCollectionsAt,
  listChildren,
  listFurtherParents,
  type NewItem,
  renameCollection,
  replaceItems,
  updateSources,
} from './import-queries.ts'
import { fitsIndex } from './traits.ts'

/**
 * Collections defined on chain (ord handbook, "Provenance" and "Properties"). Only the owner of a parent can create its children, but
 * anyone can list inscriptions in a gallery. The operator chooses the collections.
 */
type ChainKind = ChainCollection['kind']

const MAX_TEXT = 520
/** An inscription can contain megabytes of traits. */
const MAX_TRAITS = 256

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

/** `isDefined`: reads all properties, because the sources of the collection are new. */
async function refresh(
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
  const { removed } = await replaceItems(
    tx,
    collectionId,
    unique.map(({ inscriptionId, title, traits, known }, n): NewItem => {
      if (known) return { inscriptionId, ...known }
      const fits = (text: string) => text.length > 0 && text.length <= MAX_TEXT
      return {
        inscriptionId,
        name: clean(title ?? '') || `${name} #${n + 1}`,
        traits: traits
          .map(({ type, value }) => ({ type: clean(type), value: clean(value) }))
          .filter((trait) => fits(trait.type) && fits(trait.value) && fitsIndex(trait))
          .slice(0, MAX_TRAITS),
      }
    }),
  )
  return { items: unique.length, removed }
}

/** PostgreSQL text cannot contain NUL or lone surrogates. */
const clean = (text: string) => text.replaceAll('\0', '').toWellFormed().trim().slice(0, MAX_TEXT)

type Member = Attributes & { inscriptionId: string; known?: ChildRow['known'] }

async function galleryItemsOf(tx: Transaction, galleryId: string): Promise<Member[]> {
  const found = await findProperties(tx, galleryId)
  return found ? readProperties(found.properties, found.propertyEncoding).gallery : []
}

async function childrenOf(
  tx: Transaction,
  itemsOf: Parameters<typeof listChildren>[1],
  parentIds: readonly string[],
): Promise<Member[]> {
  const children = await listChildren(tx, itemsOf, parentIds)
  return children.map(({ inscriptionId, properties, propertyEncoding, known }) => ({
    ...readProperties(properties, propertyEncoding),
    inscriptionId,
    known,
  }))
}

export async function refreshChildren(tx: Transaction, parentIds: readonly string[]): Promise<void> {
  for (const collection of await listChainCollections(tx, { sources: parentIds, members: [] }))
    await refresh(tx, collection)
}

/** Updates on-chain collections after a block or its undo. */
export const chainCollectionsOnBlock: BlockConsumer = {
  name: 'chain collections',
  async apply(tx, block) {
    if (block.inscribed.length === 0) return
    for (const collection of await listChainCollectionsAt(tx, block.height)) await refresh(tx, collection)
  },
  async undo() {},
  async undone(tx, inscriptionIds) {
    for (const collection of await listChainCollections(tx, {
      sources: inscriptionIds,
      members: inscriptionIds,
    }))
      await refresh(tx, collection)
  },
}
