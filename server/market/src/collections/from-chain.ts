import { randomUUID } from 'node:crypto'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/follower.ts'
import { type Attributes, readProperties } from '@ordbook/indexer/inscriptions/properties.ts'
import { lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import {
  type ChainCollection,
  findProperties,
  findSlugOwner,
  insertChainCollection,
  listChainCollections,
  listChainCollectionsAt,
  listChildren,
  type NewItem,
  renameCollection,
  replaceItems,
} from './import-queries.ts'
import { fitsIndex } from './traits.ts'

/**
 * Collections that the chain defines (ord handbook, "Provenance" and "Properties"): the children of a parent, which only its owner can
 * create, and the items of a gallery, which any inscriber can list. The operator chooses the collections; their members follow the chain.
 */
type ChainKind = ChainCollection['kind']

const MAX_TEXT = 520
/** Traits of an item: megabytes of them fit into an inscription. */
const MAX_TRAITS = 256

/**
 * Makes a collection of the children of an inscription, or of the items of a gallery. Returns its size. Throws an Error for the
 * operator.
 */
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
  if (!parseInscriptionId(sourceId)) throw new Error(`${sourceId} is not an inscription id`)
  if (!/^[a-z0-9_-]+$/.test(slug)) throw new Error(`${slug} is not a slug of a-z, 0-9, - and _`)
  return inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    if (await findSlugOwner(tx, slug)) throw new Error(`${slug} is a collection already`)
    const collection = { collectionId: randomUUID(), kind, sourceId, slug, name }
    if (!(await insertChainCollection(tx, collection, now)))
      throw new Error(`There is a collection of that ${kind === 'gallery' ? 'gallery' : 'parent'} already`)
    return refresh(tx, collection)
  })
}

/** Changes a collection's slug and, if given, its name. Throws an Error for the operator. */
export async function renameTo(sql: Sql, slug: string, newSlug: string, name: string | null): Promise<void> {
  if (!/^[a-z0-9_-]+$/.test(newSlug)) throw new Error(`${newSlug} is not a slug of a-z, 0-9, - and _`)
  await inTransaction(sql, async (tx) => {
    await lockIndex(tx)
    const own = await findSlugOwner(tx, slug)
    if (!own) throw new Error(`Collection ${slug} is not known here`)
    const other = await findSlugOwner(tx, newSlug)
    if (other && other.collectionId !== own.collectionId)
      throw new Error(`${newSlug} is another collection already`)
    await renameCollection(tx, own.collectionId, { slug: newSlug, name })
  })
}

/** Updates the members of a collection from the chain; returns their number. */
async function refresh(
  tx: Transaction,
  { collectionId, kind, sourceId, name }: ChainCollection,
): Promise<number> {
  const items = kind === 'gallery' ? await namedBy(tx, sourceId) : await childrenOf(tx, sourceId)
  const seen = new Set<string>()
  const unique = items.filter(({ inscriptionId }) => !seen.has(inscriptionId) && seen.add(inscriptionId))
  await replaceItems(
    tx,
    collectionId,
    unique.map(({ inscriptionId, title, traits }, n): NewItem => {
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
  return unique.length
}

/** PostgreSQL text holds no NUL and no half of a character. */
const clean = (text: string) => text.replaceAll('\0', '').toWellFormed().trim().slice(0, MAX_TEXT)

type Member = Attributes & { inscriptionId: string }

async function namedBy(tx: Transaction, galleryId: string): Promise<Member[]> {
  const found = await findProperties(tx, galleryId)
  return found ? readProperties(found.properties, found.propertyEncoding).gallery : []
}

async function childrenOf(tx: Transaction, parentId: string): Promise<Member[]> {
  const children = await listChildren(tx, parentId)
  return children.map(({ inscriptionId, properties, propertyEncoding }) => ({
    ...readProperties(properties, propertyEncoding),
    inscriptionId,
  }))
}

/** Updates the members of the collections of these parents from the chain. */
export async function refreshChildren(tx: Transaction, parentIds: readonly string[]): Promise<void> {
  for (const collection of await listChainCollections(tx, { sources: parentIds, members: [] }))
    await refresh(tx, collection)
}

/** A block may add children and galleries, and an undone block removes them. */
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
