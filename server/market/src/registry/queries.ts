import { first, json, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import type { Entry, Status } from './entries.ts'

export interface StoredEntry {
  slug: string
  status: Status | 'removed'
  entry: Entry
  collectionId: string | null
}

export function listEntries(sql: Queryable, registry: string): Promise<StoredEntry[]> {
  return sql<StoredEntry[]>`
    select slug, status, entry, collection_id from registry_entries where registry = ${registry} order by slug`
}

/** Returns an entry and locks its row. */
export function lockEntry(tx: Transaction, registry: string, slug: string) {
  return first(tx<StoredEntry[]>`
    select slug, status, entry, collection_id from registry_entries
    where registry = ${registry} and slug = ${slug} for update`)
}

/** Inserts or updates the entry that had the slug `previousSlug`. */
export async function saveEntry(
  tx: Transaction,
  registry: string,
  previousSlug: string,
  { slug, status, entry, collectionId }: StoredEntry,
): Promise<void> {
  await tx`update registry_entries set slug = ${slug} where registry = ${registry} and slug = ${previousSlug}`
  await tx`
    insert into registry_entries (registry, slug, status, entry, collection_id)
    values (${registry}, ${slug}, ${status}, ${json(tx, entry)}, ${collectionId})
    on conflict (registry, slug) do update set status = excluded.status, entry = excluded.entry,
      collection_id = excluded.collection_id`
}

export type ChangeKind = 'added' | 'changed' | 'renamed' | 'removed' | 'returned'

export async function insertChange(
  tx: Transaction,
  registry: string,
  change: {
    slug: string
    change: ChangeKind
    details: readonly string[]
    previous: Entry | null
    changedAt: Date
  },
): Promise<void> {
  await tx`
    insert into registry_changes (registry, slug, changed_at, change, details, previous)
    values (${registry}, ${change.slug}, ${change.changedAt}, ${change.change},
      ${change.details as string[]}::text[], ${json(tx, change.previous)})`
}

export interface PastChange {
  slug: string
  changedAt: Date
  change: ChangeKind
  details: string[]
}

/** Returns the history of a registry, oldest first. */
export function listChanges(sql: Queryable, registry: string, slug: string | null): Promise<PastChange[]> {
  return sql<PastChange[]>`
    select slug, changed_at, change, details from registry_changes
    where registry = ${registry} and (${slug}::text is null or slug = ${slug}) order by change_id`
}

/** Returns another registry whose listed entry has this collection, or null. */
export async function findOtherRegistry(
  tx: Transaction,
  registry: string,
  slug: string,
  collectionId: string,
): Promise<string | null> {
  const row = await first(tx<{ registry: string }[]>`
    select registry from registry_entries
    where collection_id = ${collectionId} and status = 'listed' and (registry, slug) <> (${registry}, ${slug})
    order by registry limit 1`)
  return row?.registry ?? null
}
