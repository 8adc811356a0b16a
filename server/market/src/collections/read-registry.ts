import { accessSync, constants, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { NewCollection, NewItem } from './import-queries.ts'
import type { ImportReport, ProblemKind } from './import-report.ts'
import { isObject, noteUnused, readId, readItems, show, textOf } from './read-items.ts'
import { readJson } from './read-json.ts'

/** A collection of a registry folder, ready to import. */
export interface RegistryCollection extends NewCollection {
  folder: string
  /** True if the slug was made from one that is not valid. */
  hasMappedSlug: boolean
  items: NewItem[]
  /** Number of traits, for the counts of the report. */
  traitCount: number
}

export interface ReadFolder {
  folder: string
  /** Size of the list, for progress. */
  bytes: number
  /** Null if the folder is skipped; the report then has the reason. */
  collection: RegistryCollection | null
}

/** Slugs are in URLs and in indexes, whose entries PostgreSQL limits to 2,704 bytes. */
const MAX_SLUG = 200
const META = 'meta.json'
const LIST = 'inscriptions.json'
const SINGULAR_LIST = 'inscription.json'

/** Returns why a directory is not a registry of folders, and what to use instead, or null. */
export function whyNotRegistry(directory: string): string | null {
  try {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return `${directory} is not a folder.`
    accessSync(directory, constants.R_OK | constants.X_OK)
  } catch (error) {
    return `${directory} cannot be read by this user (${(error as Error).message}).`
  }
  const hasList = (path: string) => [LIST, SINGULAR_LIST].some((name) => existsSync(join(path, name)))
  if (hasList(directory)) return `${directory} is a single collection. Use its parent folder.`
  const folders = foldersIn(directory)
  const inner = join(directory, 'collections')
  if (folders.includes('collections') && foldersIn(inner).length > 0)
    return `The collections are in ${inner}. Use that folder.`
  return folders.length === 0 ? `${directory} has no folders.` : null
}

/** Returns the names of the folders that may be collections. */
export const foldersIn = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .sort()

/** The result of reading `meta.json`. */
interface Meta {
  fields: Record<string, unknown>
  slug: string
  isMapped: boolean
}
type Skipped = { kind: ProblemKind; file: string; position: string; problem: string }

/**
 * Reads the collections of a registry, one folder at a time, in order of the folders' names. A slug belongs to the first folder that has it
 * and can be read; slugs that had to be changed come after valid ones.
 */
export function* readRegistry(directory: string, report: ImportReport): Generator<ReadFolder> {
  const folders = foldersIn(directory)
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (!folders.includes(entry.name)) report.note('entry-ignored', entry.name, '', 'is not a collection')
  const metas = new Map(folders.map((folder) => [folder, readMeta(directory, folder, report)]))
  const validSlugs = new Map<string, string>()
  for (const [folder, meta] of metas)
    if ('slug' in meta && !meta.isMapped && !validSlugs.has(meta.slug)) validSlugs.set(meta.slug, folder)
  const owners = new Map<string, string>()
  for (const [folder, meta] of metas) {
    report.folders.found++
    const { list, listFile, bytes } = readList(directory, folder, report)
    const skip = (problem: Skipped): ReadFolder => {
      report.note(problem.kind, problem.file, problem.position, problem.problem)
      skipFolder(folder, problem.kind, list, report)
      return { folder, bytes, collection: null }
    }
    if (!('slug' in meta)) {
      yield skip(meta)
      continue
    }
    const owner = owners.get(meta.slug) ?? (meta.isMapped ? validSlugs.get(meta.slug) : undefined)
    if (owner !== undefined) {
      const problem = `${slugOf(meta)} is the slug of the folder ${owner} too. Change one of them`
      yield skip({ kind: 'slug-repeated', file: `${folder}/${META}`, position: 'slug', problem })
      continue
    }
    if (!Array.isArray(list)) {
      yield skip(list)
      continue
    }
    const collection = readCollection(folder, meta, list, listFile, report)
    if (collection) owners.set(meta.slug, folder)
    yield { folder, bytes, collection }
  }
}

const slugOf = ({ slug, fields }: Meta) =>
  fields.slug === slug ? slug : `${slug} (written as ${show(fields.slug)})`

function skipFolder(folder: string, kind: ProblemKind, list: unknown, report: ImportReport): void {
  const entries = Array.isArray(list) ? list.length : 0
  report.entries.found += entries
  report.skipFolder(folder, kind, entries, 0)
}

/** Reads `meta.json` and chooses the slug. */
function readMeta(directory: string, folder: string, report: ImportReport): Meta | Skipped {
  const file = `${folder}/${META}`
  const read = readJson(join(directory, file))
  const skipped = (kind: ProblemKind, problem: string): Skipped => ({ kind, file, position: '', problem })
  if ('missing' in read) return skipped('file-missing', 'is missing')
  if ('invalid' in read) return skipped('file-invalid', read.invalid)
  if (read.converted) report.note('encoding-changed', file, '', read.converted)
  if (!isObject(read.value)) return skipped('file-invalid', 'is not an object')
  const fields = read.value
  const slug = slugFrom(fields.slug, folder, textOf(fields.name) ?? '')
  if (slug) return { fields, slug, isMapped: slug !== textOf(fields.slug)?.toLowerCase() }
  return {
    ...skipped('slug-invalid', `${show(fields.slug)} has no letter or digit of a slug`),
    position: 'slug',
  }
}

/** Returns a valid slug made from `slug`, or else from the first other text that has a letter or digit; empty if there is none. */
export function slugFrom(slug: unknown, ...others: string[]): string {
  const written = textOf(slug)?.toLowerCase() ?? ''
  if (written.length <= MAX_SLUG && /^[a-z0-9_-]+$/.test(written)) return written
  return [written, ...others].map(toSlug).find((text) => text !== '') ?? ''
}

/** Returns a text with only the characters of a slug; empty if there is none. */
const toSlug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, MAX_SLUG)
    .replace(/-+$/, '')

function readList(directory: string, folder: string, report: ImportReport) {
  let listFile = `${folder}/${LIST}`
  let read = readJson(join(directory, listFile))
  const isSingular = 'missing' in read && existsSync(join(directory, folder, SINGULAR_LIST))
  if (isSingular) {
    listFile = `${folder}/${SINGULAR_LIST}`
    read = readJson(join(directory, listFile))
    report.note('file-name', listFile, '', `is read as ${LIST}`)
  }
  const bytes = lstatSync(join(directory, listFile), { throwIfNoEntry: false })?.size ?? 0
  const skipped = (kind: ProblemKind, problem: string): Skipped => ({
    kind,
    file: listFile,
    position: '',
    problem,
  })
  if ('missing' in read) {
    const others = readdirSync(join(directory, folder)).filter((name) => /^inscriptions?\b/i.test(name))
    const found = others.length > 0 ? `; the folder has ${others.join(', ')}` : ''
    return { list: skipped('file-missing', `is missing${found}`), listFile, bytes }
  }
  if ('invalid' in read) return { list: skipped('file-invalid', read.invalid), listFile, bytes }
  if (read.converted) report.note('encoding-changed', listFile, '', read.converted)
  const list = Array.isArray(read.value)
    ? (read.value as unknown[])
    : skipped('file-invalid', 'is not an array')
  return { list, listFile, bytes }
}

const KNOWN_IN_META = new Set(['name', 'slug', 'description', 'inscription_icon'])

function readCollection(
  folder: string,
  { fields, slug, isMapped }: Meta,
  list: readonly unknown[],
  listFile: string,
  report: ImportReport,
): RegistryCollection | null {
  const file = `${folder}/${META}`
  const name = textOf(fields.name)
  const before = report.traits.imported
  const items = readItems(list, name ?? slug, listFile, report)
  // An empty list is probably a mistake.
  if (items.length === 0) {
    report.note('list-empty', listFile, '', 'contains no valid inscription')
    report.skipFolder(folder, 'list-empty', 0, 0)
    return null
  }
  if (fields.slug !== slug)
    report.note('slug-changed', file, 'slug', `${show(fields.slug)} is imported as ${slug}`)
  if (!name)
    report.note(
      'name-invalid',
      file,
      'name',
      `${show(fields.name)} is not a valid name; the slug is used instead`,
    )
  const isSet = (value: unknown) => value !== undefined && value !== null && value !== ''
  const description = textOf(fields.description)
  const isBlank = typeof fields.description === 'string' && fields.description.trim() === ''
  if (description === null && isSet(fields.description) && !isBlank)
    report.note(
      'description-invalid',
      file,
      'description',
      `${show(fields.description)} is too long or not text`,
    )
  const icon = readId(fields.inscription_icon)
  if (icon === null && isSet(fields.inscription_icon))
    report.note(
      'icon-invalid',
      file,
      'inscription_icon',
      `${show(fields.inscription_icon)} is not an inscription id`,
    )
  noteUnused(fields, '', KNOWN_IN_META, '', file, report)
  report.folders.imported++
  return {
    folder,
    slug,
    hasMappedSlug: isMapped,
    name: name ?? slug,
    description,
    previewInscriptionId: icon,
    items,
    traitCount: report.traits.imported - before,
  }
}
