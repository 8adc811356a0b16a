import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ImportReport } from '../collections/import-report.ts'
import { parseJson, readJson } from '../collections/read-json.ts'
import { type RegistryCollection, readRegistry, whyNotRegistry } from '../collections/read-registry.ts'
import { type Entry, FILES, type FolderEntry, readChainEntries } from './entries.ts'
import { type FetchLimits, fetchPublic } from './fetch-public.ts'

/** An entry, with its collection if the registry has folders. */
interface ReadEntry {
  entry: Entry
  collection: RegistryCollection | null
}

export interface RegistrySource {
  /** URL or absolute path. */
  registry: string
  /** Reads all entries. Slugs, names and folders of invalid entries are added to `unreadable`. */
  read: (report: ImportReport, unreadable: Set<string>) => Iterable<ReadEntry>
}

const LIMITS: FetchLimits = { maxBytes: 16_000_000, timeoutMs: 30_000 }

/**
 * Opens a registry: an https URL of `collections.json` or its folder, a repository on GitHub with that file, a directory with
 * `collections.json`, or a directory of folders. Throws an Error with the reason if there is none.
 */
export async function openRegistry(target: string, limits = LIMITS): Promise<RegistrySource> {
  if (isUrl(target)) {
    const base = registryOf(target)
    const files = new Map<string, Buffer>()
    for (const [file] of FILES) {
      const bytes = await fetchPublic(new URL(file, base).href, limits)
      if (bytes) files.set(file, bytes)
    }
    const read = (file: string) => {
      const bytes = files.get(file)
      return bytes ? parseJson(bytes) : ({ missing: true } as const)
    }
    return { registry: base, read: chainReader(base, read) }
  }
  const directory = registryOf(target)
  if (existsSync(join(directory, FILES[0]![0])))
    return { registry: directory, read: chainReader(directory, (file) => readJson(join(directory, file))) }
  const reason = whyNotRegistry(directory)
  if (reason) throw new Error(reason)
  return { registry: directory, read: (report, unreadable) => readFolders(directory, report, unreadable) }
}

const isUrl = (target: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(target)

/** Returns the name under which a registry is stored: the URL of its files, or an absolute path. */
export function registryOf(target: string): string {
  if (!isUrl(target)) return resolve(target)
  const repository = /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+?)(\.git)?\/?$/.exec(target)
  if (repository) return `https://raw.githubusercontent.com/${repository[1]}/${repository[2]}/HEAD/`
  if (!URL.canParse(target)) throw new Error(`${target} is not a URL.`)
  return new URL('.', target.endsWith('.json') || target.endsWith('/') ? target : `${target}/`).href
}

/** Throws an Error if a file is invalid or the first is missing: its entries would seem to be removed. */
function chainReader(
  registry: string,
  readFile: (file: string) => ReturnType<typeof readJson>,
): RegistrySource['read'] {
  return (report, unreadable) =>
    FILES.flatMap(([file, status], index) => {
      const read = readFile(file)
      if ('missing' in read) {
        if (index === 0) throw new Error(`${registry} has no ${file}.`)
        return []
      }
      if ('invalid' in read) throw new Error(`${file} ${read.invalid}. Nothing was changed.`)
      if (!Array.isArray(read.value)) throw new Error(`${file} is not an array. Nothing was changed.`)
      return readChainEntries(read.value, file, status, report, unreadable).map((entry) => ({
        entry,
        collection: null,
      }))
    })
}

function* readFolders(
  directory: string,
  report: ImportReport,
  unreadable: Set<string>,
): Generator<ReadEntry> {
  for (const { folder, collection } of readRegistry(directory, report))
    if (collection) yield { entry: folderEntry(collection), collection }
    else unreadable.add(folder.toLowerCase())
}

function folderEntry(collection: RegistryCollection): FolderEntry {
  const { folder, slug, name, description, previewInscriptionId, items } = collection
  const digest = createHash('sha256').update(JSON.stringify(items)).digest('hex')
  return {
    form: 'folder',
    slug,
    name,
    status: 'listed',
    folder,
    description,
    previewInscriptionId,
    itemCount: items.length,
    digest,
  }
}
