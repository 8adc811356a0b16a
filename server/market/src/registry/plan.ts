import type { Sql } from '@ordbook/db/driver/connect.ts'
import { findSlugOwner, listItems } from '../collections/import-queries.ts'
import { add, ImportReport } from '../collections/import-report.ts'
import type { RegistryCollection } from '../collections/read-registry.ts'
import { describe, differences, type Entry, identityOf } from './entries.ts'
import { type ChangeKind, listEntries, type StoredEntry } from './queries.ts'
import type { RegistrySource } from './source.ts'

/** A difference between a registry and what is stored of it. `after` is null if the entry was removed. */
export interface Change {
  slug: string
  change: ChangeKind
  details: string[]
  before: StoredEntry | null
  after: Entry | null
}

export interface Plan {
  registry: string
  changes: Change[]
  unchanged: number
  report: ImportReport
}

/** Compares a registry with its stored state. Changes nothing. */
export async function planFollow(sql: Sql, source: RegistrySource): Promise<Plan> {
  const report = new ImportReport()
  const unreadable = new Set<string>()
  const stored = await listEntries(sql, source.registry)
  const storedBySlug = new Map(stored.map((each) => [each.slug, each]))
  const { entries, itemLines } = await readEntries(sql, source, stored, report, unreadable)
  report.finish()
  const gone = stored.filter(
    (each) => isPresent(each) && !entries.has(each.slug) && !isUnreadable(each, unreadable),
  )
  const goneByIdentity = new Map(gone.map((each) => [identityOf(each.entry), each]))
  const changes: Change[] = []
  const renamed = new Set<StoredEntry>()
  for (const [slug, entry] of entries) {
    const moved = storedBySlug.has(slug) ? undefined : goneByIdentity.get(identityOf(entry))
    if (moved) renamed.add(moved)
    const change = changeOf(moved ?? storedBySlug.get(slug) ?? null, entry, itemLines.get(slug) ?? null)
    if (change) changes.push(change)
  }
  for (const before of gone)
    if (!renamed.has(before))
      changes.push({
        slug: before.slug,
        change: 'removed',
        details: ['no longer in the registry; the collection stays'],
        before,
        after: null,
      })
  return {
    registry: source.registry,
    changes,
    unchanged: entries.size - changes.filter(({ after }) => after).length,
    report,
  }
}

/**
 * Reads the entries of a registry, one for each slug. A slug stays with the stored entry, also while that entry is invalid, otherwise with
 * the first; further entries are reported.
 */
async function readEntries(
  sql: Sql,
  source: RegistrySource,
  stored: readonly StoredEntry[],
  report: ImportReport,
  unreadable: Set<string>,
): Promise<{ entries: Map<string, Entry>; itemLines: Map<string, string> }> {
  const present = stored.filter(isPresent)
  const storedBySlug = new Map(stored.map((each) => [each.slug, each]))
  const storedByIdentity = new Map(present.map((each) => [identityOf(each.entry), each]))
  const holders = new Map(present.map((each) => [each.slug, each]))
  const isHolder = (entry: Entry) => {
    const holder = holders.get(entry.slug)
    return holder !== undefined && identityOf(holder.entry) === identityOf(entry)
  }
  const entries = new Map<string, Entry>()
  const itemLines = new Map<string, string>()
  for (const { entry, collection } of source.read(report, unreadable)) {
    const { slug } = entry
    const earlier = entries.get(slug)
    if (earlier && (isHolder(earlier) || !isHolder(entry))) {
      refuse(report, entry)
      continue
    }
    if (earlier) refuse(report, earlier)
    entries.set(slug, entry)
    const before = storedBySlug.get(slug) ?? storedByIdentity.get(identityOf(entry))
    const line = collection && (await compareItems(sql, before ?? null, entry, collection))
    if (line) itemLines.set(slug, line)
    else itemLines.delete(slug)
  }
  for (const [slug, entry] of entries) {
    const holder = holders.get(slug)
    if (!holder || isHolder(entry) || !isUnreadable(holder, unreadable)) continue
    refuse(report, entry)
    entries.delete(slug)
  }
  return { entries, itemLines }
}

/** Reports an entry whose slug belongs to another. */
function refuse(report: ImportReport, { slug, name }: Entry): void {
  report.note('slug-repeated', name, '', `${slug} is the slug of another entry`)
  report.folders.imported--
  report.refused.push(slug)
  add(report.folders, 'slug-repeated', 1)
}

const isPresent = ({ status }: StoredEntry): boolean => status !== 'removed'

const isUnreadable = ({ slug, entry }: StoredEntry, unreadable: ReadonlySet<string>): boolean =>
  [slug, entry.name, entry.form === 'folder' ? entry.folder : slug].some((text) =>
    unreadable.has(text.toLowerCase()),
  )

function changeOf(before: StoredEntry | null, after: Entry, items: string | null): Change | null {
  const { slug } = after
  if (!before)
    return { slug, change: 'added', details: [...describe(after), ...(items ? [items] : [])], before, after }
  const details = differences(before.entry, after, items)
  if (before.status === 'removed')
    return { slug, change: 'returned', details: ['is in the registry again', ...details], before, after }
  if (details.length === 0) return null
  return { slug, change: before.slug === slug ? 'changed' : 'renamed', details, before, after }
}

/** Compares the items of a folder with those of the collection. Returns null if the folder has not changed or is new. */
async function compareItems(
  sql: Sql,
  before: StoredEntry | null,
  entry: Entry,
  collection: RegistryCollection,
): Promise<string | null> {
  if (entry.form !== 'folder') return null
  if (before?.entry.form === 'folder' && before.entry.digest === entry.digest) return null
  const collectionId = before?.collectionId ?? (await findSlugOwner(sql, entry.slug))?.collectionId
  if (!collectionId) return null
  const current = new Map(
    (await listItems(sql, collectionId)).map((item) => [item.inscriptionId, textOf(item)]),
  )
  let [added, changed] = [0, 0]
  for (const item of collection.items) {
    const text = current.get(item.inscriptionId)
    if (text === undefined) added++
    else if (text !== textOf(item)) changed++
    current.delete(item.inscriptionId)
  }
  return `${added} inscriptions added, ${current.size} removed, ${changed} changed`
}

const textOf = ({ name, traits }: { name: string; traits: { type: string; value: string }[] }) =>
  JSON.stringify([name, traits.map(({ type, value }) => [type, value])])
