import type { ImportReport } from '../collections/import-report.ts'
import { isObject, readId, show, textOf } from '../collections/read-items.ts'
import { slugFrom } from '../collections/read-registry.ts'

/** Lists of a registry of parents and galleries. A collection with open questions or a dispute is not imported. */
export type Status = 'listed' | 'needs_info' | 'disputed'

/** An entry of a registry of parents and galleries. */
export interface ChainEntry {
  form: 'chain'
  slug: string
  name: string
  status: Status
  kind: 'parent_child' | 'gallery'
  sourceIds: string[]
  /** Open questions. */
  issues: string[]
}

/** An entry of a registry of folders. */
export interface FolderEntry {
  form: 'folder'
  slug: string
  name: string
  status: Status
  folder: string
  description: string | null
  previewInscriptionId: string | null
  itemCount: number
  /** SHA-256 of the items. */
  digest: string
}

export type Entry = ChainEntry | FolderEntry

/** Files of a registry of parents and galleries, with the status of their entries. */
export const FILES: readonly (readonly [file: string, status: Status])[] = [
  ['collections.json', 'listed'],
  ['collections-needs-info.json', 'needs_info'],
  ['collections-disputed.json', 'disputed'],
]

/** Reads a file of parents and galleries. Adds what identifies an invalid entry to `unreadable`. */
export function readChainEntries(
  list: readonly unknown[],
  file: string,
  status: Status,
  report: ImportReport,
  unreadable: Set<string>,
): ChainEntry[] {
  return list.flatMap((value, index) => {
    report.folders.found++
    const fields = isObject(value) ? value : {}
    const refuse = (position: string, problem: string) => {
      for (const text of [fields.slug, fields.name])
        if (textOf(text)) unreadable.add(textOf(text)!.toLowerCase())
      report.note('id-invalid', file, `[${index}]${position}`, problem)
      report.skipFolder(`${file}[${index}]`, 'id-invalid', 0, 0)
      return []
    }
    if (!isObject(value)) return refuse('', `${show(value)} is not an object`)
    const kind = fields.type === 'parent' ? 'parent_child' : fields.type === 'gallery' ? 'gallery' : null
    if (!kind) return refuse('.type', `${show(fields.type)} is not parent or gallery`)
    const written = kind === 'gallery' ? [fields.id] : Array.isArray(fields.ids) ? fields.ids : [fields.id]
    const sourceIds = [...new Set(written.map(readId))]
    const invalid = sourceIds.indexOf(null)
    if (sourceIds.length === 0 || invalid >= 0)
      return refuse(kind === 'gallery' ? '.id' : '.ids', `${show(written)} are not inscription ids`)
    const slug = slugFrom(fields.slug, textOf(fields.name) ?? '')
    if (!slug) return refuse('.slug', `${show(fields.slug)} has no letter or digit of a slug`)
    if (slug !== fields.slug)
      report.note('slug-changed', file, `[${index}].slug`, `${show(fields.slug)} is read as ${slug}`)
    report.folders.imported++
    const issues = Array.isArray(fields.issues)
      ? fields.issues.map(textOf).filter((text) => text !== null)
      : []
    const name = textOf(fields.name) ?? slug
    return [{ form: 'chain', slug, name, status, kind, sourceIds: sourceIds as string[], issues }]
  })
}

/** Returns a line for each difference between two versions of an entry. `items` describes a difference of the items. */
export function differences(before: Entry, after: Entry, items: string | null): string[] {
  const lines: string[] = []
  const compare = (what: string, one: unknown, two: unknown) => {
    const [was, is] = [one, two].map((value) => (Array.isArray(value) ? value.join(', ') : (value ?? 'none')))
    if (was !== is) lines.push(`${what}: ${was || 'none'} → ${is || 'none'}`)
  }
  compare('slug', before.slug, after.slug)
  compare('name', before.name, after.name)
  compare('status', before.status, after.status)
  if (before.form === 'chain' && after.form === 'chain') {
    compare('type', before.kind, after.kind)
    compare('inscriptions', before.sourceIds, after.sourceIds)
    compare('issues', before.issues, after.issues)
  } else if (before.form === 'folder' && after.form === 'folder') {
    compare('folder', before.folder, after.folder)
    compare('description', before.description, after.description)
    compare('icon', before.previewInscriptionId, after.previewInscriptionId)
    if (before.digest !== after.digest) lines.push(`items: ${items ?? `now ${after.itemCount}`}`)
  } else lines.push(`form: ${before.form} → ${after.form}`)
  return lines
}

/** Returns a key that stays the same if an entry gets another slug. */
export const identityOf = (entry: Entry): string =>
  entry.form === 'chain' ? `${entry.kind} ${[...entry.sourceIds].sort().join(' ')}` : `folder ${entry.folder}`

/** Returns a description of a new entry. */
export const describe = (entry: Entry): string[] =>
  entry.form === 'chain'
    ? [
        `${entry.kind === 'gallery' ? 'gallery' : 'parent'} ${entry.sourceIds.join(', ')}`,
        `status: ${entry.status}`,
        ...(entry.issues.length > 0 ? [`issues: ${entry.issues.join(', ')}`] : []),
      ]
    : [`folder ${entry.folder} with ${entry.itemCount} inscriptions`]
