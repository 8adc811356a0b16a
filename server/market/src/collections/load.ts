import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import {
  containsAny,
  countItems,
  findSlugOwner,
  type ItemChanges,
  replaceItems,
  upsertCollection,
} from './import-queries.ts'
import { ImportReport, type Problem, type ProblemKind } from './import-report.ts'
import { foldersIn, type RegistryCollection, readRegistry } from './read-registry.ts'

/**
 * Imports collections in the format of the community registry: one folder per collection with `meta.json` and `inscriptions.json`. Invalid
 * items are reported and skipped. Each collection is one transaction, so an interrupted import can be repeated.
 */
export interface LoadProgress {
  bytes: number
  totalBytes: number
  collections: number
  items: number
}

export interface LoadReport {
  collections: number
  items: number
  changed: number
  refused: string[]
  problems: Problem[]
  report: ImportReport
  /** Rows of the database after the import; null for a dry run. `kept` items are not in the files but have a live order. */
  stored: { items: number; kept: number; unknown: number } | null
}

/** Imports every folder in `directory`, one at a time. Without `sql`, only reads and reports. */
export async function loadCollections(
  sql: Sql | null,
  directory: string,
  options: { now: Date; onProgress?: (progress: LoadProgress) => void },
): Promise<LoadReport> {
  const report = new ImportReport()
  const totalBytes = foldersIn(directory).reduce((sum, folder) => sum + sizeOf(directory, folder), 0)
  /** Folders by the id of the collection that they were imported to. */
  const imported = new Map<string, string>()
  let changed = 0
  let bytes = 0
  for (const { folder, collection } of readRegistry(directory, report)) {
    const size = sizeOf(directory, folder)
    const progress = (done: number, of: number) =>
      options.onProgress?.({
        bytes: bytes + Math.floor((size * done) / Math.max(of, 1)),
        totalBytes,
        collections: report.folders.imported,
        items: report.entries.imported,
      })
    if (collection && sql) {
      const onProgress = (done: number) => progress(done, collection.items.length)
      const result = await inTransaction(sql, (tx) =>
        importCollection(tx, collection, imported, options.now, onProgress),
      )
      if ('kind' in result) {
        report.note(result.kind, `${folder}/meta.json`, 'slug', result.problem)
        report.rejectFolder(collection, result.kind)
      } else {
        changed += result.changed
        imported.set(result.collectionId, folder)
        noteRemoved(report, collection, result.removed)
      }
    }
    progress(1, 1)
    bytes += size
  }
  report.finish()
  const stored = sql && (await countStored(sql, [...imported.keys()], report.entries.imported))
  const { refused, problems } = report
  const [collections, items] = [report.folders.imported, report.entries.imported]
  return { collections, items, changed, refused, problems, report, stored }
}

const sizeOf = (directory: string, folder: string) =>
  lstatSync(join(directory, folder, 'inscriptions.json'), { throwIfNoEntry: false })?.size ?? 0

export interface Rejected {
  kind: ProblemKind
  problem: string
}

/**
 * Creates or updates a collection. `imported` maps the ids of the collections of this run to their folders: none is replaced by a second
 * folder.
 */
export async function importCollection(
  tx: Transaction,
  collection: RegistryCollection,
  imported: ReadonlyMap<string, string>,
  now: Date,
  onProgress?: (done: number) => void,
): Promise<(ItemChanges & { collectionId: string }) | Rejected> {
  const { slug, items } = collection
  await lockIndex(tx)
  const existing = await findSlugOwner(tx, slug)
  if (existing?.sourceId)
    return { kind: 'slug-on-chain', problem: `collection ${slug} is defined on chain; use another slug` }
  const earlier = existing && imported.get(existing.collectionId)
  if (earlier !== undefined && earlier !== null)
    return {
      kind: 'slug-repeated',
      problem: `${slug} is collection ${existing!.slug}, which the folder ${earlier} has`,
    }
  const ids = items.map(({ inscriptionId }) => inscriptionId)
  if (existing && collection.hasMappedSlug && !(await containsAny(tx, existing.collectionId, ids)))
    return { kind: 'slug-repeated', problem: `${slug} is the slug of a collection with other inscriptions` }
  // A renamed collection keeps its current slug.
  const row = existing ? { ...collection, slug: existing.slug } : collection
  const collectionId = await upsertCollection(tx, randomUUID(), row, now)
  return { ...(await replaceItems(tx, collectionId, items, onProgress)), collectionId }
}

function noteRemoved(
  report: ImportReport,
  { folder, slug }: RegistryCollection,
  removed: readonly string[],
): void {
  if (removed.length === 0) return
  const problem = `${removed.length} inscriptions were removed from ${slug}: ${removed.join(', ')}`
  report.note('items-removed', `${folder}/inscriptions.json`, '', problem)
}

async function countStored(sql: Sql, collectionIds: readonly string[], imported: number) {
  const { items, unknown } = await countItems(sql, collectionIds)
  if (items < imported)
    throw new Error(`${imported} inscriptions were imported, but the database has ${items}`)
  return { items, kept: items - imported, unknown }
}
