import { isDeepStrictEqual } from 'node:util'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import { changeSources, createChainCollection } from '../collections/from-chain.ts'
import {
  type CollectionRow,
  findCollectionById,
  findCollectionBySource,
  findSlugOwner,
  listFurtherParents,
  renameCollection,
} from '../collections/import-queries.ts'
import { ImportReport } from '../collections/import-report.ts'
import { importCollection } from '../collections/load.ts'
import type { RegistryCollection } from '../collections/read-registry.ts'
import type { ChainEntry, FolderEntry } from './entries.ts'
import type { Change, Plan } from './plan.ts'
import { findOtherRegistry, insertChange, lockEntry, saveEntry } from './queries.ts'
import type { RegistrySource } from './source.ts'

export interface Outcome {
  change: Change
  /** Why the change was not applied, or null. */
  skipped: string | null
}

/**
 * Applies the changes of a plan, each in its own transaction together with its history. A change that conflicts with another collection is
 * tried again after the others, then skipped. No collection is deleted.
 */
export async function applyPlan(sql: Sql, source: RegistrySource, plan: Plan, now: Date): Promise<Outcome[]> {
  const outcomes = new Map<Change, string | null>()
  const attempt = async (change: Change, collection: RegistryCollection | null) => {
    try {
      await inTransaction(sql, (tx) =>
        applyChange(tx, plan.registry, { ...change, details: [...change.details] }, collection, now),
      )
      outcomes.set(change, null)
    } catch (error) {
      // An error of the database is not a conflict of this change.
      if (!(error instanceof Error) || 'code' in error) throw error
      outcomes.set(change, error.message)
    }
  }
  const isFolder = (change: Change) => change.after?.form === 'folder'
  for (let round = 0; round < 2; round++) {
    const open = new Set(plan.changes.filter((change) => outcomes.get(change) !== null))
    for (const change of open) if (!isFolder(change)) await attempt(change, null)
    const bySlug = new Map([...open].filter(isFolder).map((change) => [change.slug, change]))
    if (bySlug.size === 0) continue
    for (const { entry, collection } of source.read(new ImportReport(), new Set())) {
      const change = bySlug.get(entry.slug)
      if (change && isDeepStrictEqual(change.after, entry)) await attempt(change, collection)
    }
  }
  return plan.changes.map((change) => {
    const skipped = outcomes.get(change)
    return {
      change,
      skipped: skipped === undefined ? 'The folder changed while it was read. Follow again.' : skipped,
    }
  })
}

async function applyChange(
  tx: Transaction,
  registry: string,
  change: Change,
  collection: RegistryCollection | null,
  now: Date,
): Promise<void> {
  const { slug, before, after, details } = change
  await lockIndex(tx)
  const current = await lockEntry(tx, registry, before?.slug ?? slug)
  if (!isDeepStrictEqual(current, before))
    throw new Error('The entry was changed by another run. Follow again.')
  let collectionId = before?.collectionId ?? null
  if (after?.form === 'chain') collectionId = await applyChain(tx, change, after, collectionId, now)
  else if (after)
    collectionId = await applyFolder(tx, registry, change, after, collection!, collectionId, now)
  const entry = after ?? before!.entry
  const status = after?.status ?? 'removed'
  await saveEntry(tx, registry, before?.slug ?? slug, { slug, status, entry, collectionId })
  await insertChange(tx, registry, {
    slug,
    change: change.change,
    details,
    previous: before?.entry ?? null,
    changedAt: now,
  })
}

async function applyChain(
  tx: Transaction,
  change: Change,
  after: ChainEntry,
  collectionId: string | null,
  now: Date,
): Promise<string | null> {
  const { details } = change
  if (collectionId === null) {
    if (after.status !== 'listed') {
      details.push(`not imported: ${after.status}`)
      return null
    }
    const existing = await findCollectionBySource(tx, after.kind, after.sourceIds[0]!)
    if (existing) {
      details.push(`is the collection ${existing.slug}`)
      await matchSources(tx, existing, after, details)
      return existing.collectionId
    }
    const created = await createChainCollection(tx, after, now)
    details.push(`imported with ${created.items} inscriptions`)
    return created.collectionId
  }
  const current = await findCollectionById(tx, collectionId)
  await renameLike(tx, current!, change, details)
  await matchSources(tx, current!, after, details)
  return collectionId
}

/** Changes the sources of a collection to those of an entry, if they differ. */
async function matchSources(
  tx: Transaction,
  current: CollectionRow,
  after: ChainEntry,
  details: string[],
): Promise<void> {
  const sources = [current.sourceId, ...(await listFurtherParents(tx, current.collectionId))]
  const isSame = current.kind === after.kind && isDeepStrictEqual(new Set(sources), new Set(after.sourceIds))
  if (isSame) return
  const { items, removed } = await changeSources(tx, current, after)
  details.push(`now has ${items} inscriptions`)
  noteRemoved(removed, details)
}

/** Follows a change of slug and name, unless the operator gave the collection others. */
async function renameLike(
  tx: Transaction,
  current: CollectionRow,
  { before, after }: Change,
  details: string[],
): Promise<void> {
  const [was, is] = [before!.entry, after!]
  const slug = was.slug !== is.slug && current.slug === was.slug ? is.slug : current.slug
  const name = was.name !== is.name && current.name === was.name ? is.name : current.name
  if (was.slug !== is.slug && slug !== is.slug) details.push(`keeps the market's slug ${current.slug}`)
  if (was.name !== is.name && name !== is.name) details.push(`keeps the market's name ${current.name}`)
  if (slug === current.slug && name === current.name) return
  const owner = await findSlugOwner(tx, slug)
  if (owner && owner.collectionId !== current.collectionId)
    throw new Error(`Another collection has the slug ${slug}.`)
  await renameCollection(tx, current.collectionId, { slug, name })
}

async function applyFolder(
  tx: Transaction,
  registry: string,
  change: Change,
  after: FolderEntry,
  collection: RegistryCollection,
  collectionId: string | null,
  now: Date,
): Promise<string> {
  const current = collectionId === null ? null : await findCollectionById(tx, collectionId)
  if (current) await renameLike(tx, current, change, change.details)
  const slug = current ? (await findCollectionById(tx, current.collectionId))!.slug : after.slug
  const owner = await findSlugOwner(tx, slug)
  const other =
    owner && (await findOtherRegistry(tx, registry, change.before?.slug ?? change.slug, owner.collectionId))
  if (other) throw new Error(`The collection ${slug} belongs to the registry ${other}.`)
  const result = await importCollection(tx, { ...collection, slug }, new Map(), now)
  if ('kind' in result) throw new Error(result.problem)
  change.details.push(`imported: ${result.changed} inscriptions new, changed or removed`)
  noteRemoved(result.removed, change.details)
  return result.collectionId
}

function noteRemoved(removed: readonly string[], details: string[]): void {
  if (removed.length > 0) details.push(`removed from the collection: ${removed.join(', ')}`)
}
