import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { lockIndex } from '@ordbook/indexer/inscriptions/queries.ts'
import { findSlugOwner, replaceItems, upsertCollection } from './import-queries.ts'
import { fitsIndex } from './traits.ts'

/**
 * Imports collections in the format of the community registry: one folder per collection with `meta.json` and `inscriptions.json`. Invalid
 * items are reported and skipped. Each collection is one transaction, so an interrupted import can be repeated.
 */
interface Problem {
  file: string
  /** Position in the file, such as `[3].meta.name`. */
  position: string
  problem: string
}

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
}

interface Item {
  inscriptionId: string
  name: string
  traits: { type: string; value: string }[]
}

const MAX_TEXT = 520

/** Imports every folder in `directory`, one at a time. */
export async function loadCollections(
  sql: Sql,
  directory: string,
  options: { now: Date; onProgress?: (progress: LoadProgress) => void },
): Promise<LoadReport> {
  const folders = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
  const bytesOf = (folder: string) =>
    statSync(join(directory, folder, 'inscriptions.json'), { throwIfNoEntry: false })?.size ?? 0
  const totalBytes = folders.reduce((sum, folder) => sum + bytesOf(folder), 0)
  const report: LoadReport = { collections: 0, items: 0, changed: 0, refused: [], problems: [] }
  let bytes = 0
  for (const folder of folders) {
    const loaded = readFolder(directory, folder, report.problems)
    if (!loaded) report.refused.push(folder)
    else {
      const { collection, items } = loaded
      const size = bytesOf(folder)
      const onProgress = (done: number) =>
        options.onProgress?.({
          bytes: bytes + Math.floor((size * done) / Math.max(items.length, 1)),
          totalBytes,
          collections: report.collections,
          items: report.items + done,
        })
      const changed = await inTransaction(sql, async (tx) => {
        await lockIndex(tx)
        const existing = await findSlugOwner(tx, collection.slug)
        if (existing?.sourceId) return null
        // A renamed collection keeps its current slug.
        const row = existing ? { ...collection, slug: existing.slug } : collection
        const collectionId = await upsertCollection(tx, randomUUID(), row, options.now)
        return replaceItems(tx, collectionId, items, onProgress)
      })
      if (changed === null) {
        const problem = `collection ${collection.slug} is defined on chain; use another slug`
        report.problems.push({ file: `${folder}/meta.json`, position: 'slug', problem })
        report.refused.push(folder)
      } else {
        report.changed += changed
        report.collections++
        report.items += items.length
      }
    }
    bytes += bytesOf(folder)
    options.onProgress?.({ bytes, totalBytes, collections: report.collections, items: report.items })
  }
  return report
}

function readFolder(directory: string, folder: string, problems: Problem[]) {
  const metaFile = `${folder}/meta.json`
  const itemsFile = `${folder}/inscriptions.json`
  const note = (file: string) => (position: string, problem: string) => {
    problems.push({ file, position, problem })
  }
  const meta = readJson(join(directory, metaFile), note(metaFile))
  const list = readJson(join(directory, itemsFile), note(itemsFile))
  if (meta === undefined || list === undefined) return null
  if (!isObject(meta)) return void note(metaFile)('', 'is not an object')
  if (!Array.isArray(list)) return void note(itemsFile)('', 'is not an array')
  const slug = typeof meta.slug === 'string' ? meta.slug.trim().toLowerCase() : ''
  if (!/^[a-z0-9_-]+$/.test(slug))
    return void note(metaFile)('slug', `${show(meta.slug)} is not a valid slug (letters, digits, - and _)`)
  const name = textOf(meta.name)
  if (!name) note(metaFile)('name', `${show(meta.name)} is not a valid name; the slug is used instead`)
  const preview = textOf(meta.inscription_icon)
  const items = readItems(list, name ?? slug, note(itemsFile))
  // An empty list is probably a mistake.
  if (items.length === 0) return void note(itemsFile)('', 'contains no valid inscription')
  return {
    collection: {
      slug,
      name: name ?? slug,
      description: textOf(meta.description),
      previewInscriptionId: preview && parseInscriptionId(preview) ? preview : null,
    },
    items,
  }
}

function readItems(
  list: readonly unknown[],
  collectionName: string,
  note: (position: string, problem: string) => void,
): Item[] {
  const items: Item[] = []
  const first = new Map<string, number>()
  for (const [index, entry] of list.entries()) {
    const id = isObject(entry) ? entry.id : undefined
    if (typeof id !== 'string' || !parseInscriptionId(id)) {
      note(`[${index}].id`, `${show(id)} is not an inscription id`)
      continue
    }
    const earlier = first.get(id)
    if (earlier !== undefined) {
      note(`[${index}].id`, `repeats [${earlier}]: ${id}`)
      continue
    }
    first.set(id, index)
    const meta = (entry as Record<string, unknown>).meta
    if (meta !== undefined && meta !== null && !isObject(meta))
      note(`[${index}].meta`, `${show(meta)} is not an object`)
    const fields = isObject(meta) ? meta : {}
    const name = textOf(fields.name)
    // Many registries have no names.
    if (!name && fields.name !== undefined)
      note(`[${index}].meta.name`, `${show(fields.name)} is not a valid name`)
    items.push({
      inscriptionId: id,
      name: name ?? `${collectionName} #${index + 1}`,
      traits: readTraits(fields.attributes, (position, problem) =>
        note(`[${index}].meta.attributes${position}`, problem),
      ),
    })
  }
  return items
}

function readTraits(attributes: unknown, note: (position: string, problem: string) => void) {
  if (attributes === undefined || attributes === null) return []
  if (!Array.isArray(attributes)) {
    note('', `${show(attributes)} is not an array`)
    return []
  }
  return attributes.flatMap((attribute, index) => {
    const type = isObject(attribute) ? textOf(attribute.trait_type) : null
    const value = isObject(attribute) ? textOf(attribute.value) : null
    if (type && value && fitsIndex({ type, value })) return [{ type, value }]
    const problem = type && value ? 'is too long' : `has no ${type ? 'value' : 'trait_type'}`
    note(`[${index}]`, `${show(attribute)} ${problem}`)
    return []
  })
}

function readJson(path: string, note: (position: string, problem: string) => void): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return void note('', 'cannot be read')
  }
  if (text.trim() === '') return void note('', 'is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    return void note('', `is not JSON: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a value as trimmed text without NUL, or null if it is empty or too long. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null
  const text = String(value).replaceAll('\0', '').toWellFormed().trim()
  return text === '' || text.length > MAX_TEXT * 8 ? null : text
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120)
}
