import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const MIGRATIONS = join(import.meta.dirname, 'migrations')
const FUNCTIONS = join(import.meta.dirname, 'functions')

export interface Migration {
  name: string
  text: string
  checksum: string
  /** Oldest code that works with the migrated schema, as the number of its last migration. */
  oldestCode: string
}

export interface FunctionFile {
  /** File name without hash, for example `book-entries.sql`. */
  name: string
  /** Path in functions/. */
  path: string
  text: string
  replaced: boolean
}

/** Returns all migrations in order. Throws if a current function file is not installed. */
export function readMigrations(): Migration[] {
  const files = readFolder(MIGRATIONS)
  assertInstalled(files, readFunctions())
  return files.map(({ name, text }) => ({
    name,
    text: withFunctions(name, text, readFunctions()),
    checksum: checksumOf(text),
    oldestCode: oldestCodeOf(name, text),
  }))
}

/** Returns current function files in functions/, and old ones in functions/replaced/ as `book-entries.3f2a….sql`. */
export const readFunctions = (): FunctionFile[] =>
  readFolder(FUNCTIONS).map(({ name: path, text }) => {
    const replaced = path.startsWith('replaced')
    const name = basename(path)
    return { name: replaced ? name.replace(/\.[0-9a-f]+\.sql$/, '.sql') : name, path, text, replaced }
  })

/** Matches `-- install: book-entries.sql 3f2a…`: a file name and the start of its SHA-256. */
const INSTALL = /^-- install: (\S+\.sql) ([0-9a-f]{12})$/gm

/** Replaces each install line of a migration with the function file. */
export function withFunctions(migration: string, text: string, functions: readonly FunctionFile[]): string {
  return text.replace(INSTALL, (_, name: string, hash: string) => {
    const file = functions.find(
      (candidate) => candidate.name === name && shortHashOf(candidate.text) === hash,
    )
    if (!file)
      throw new Error(
        `db/functions: the migration ${migration} installs ${name} with hash ${hash}, which does not exist. Restore the file, or move it to functions/replaced and install the new version with a new migration: npm run migration`,
      )
    return file.text
  })
}

/** Throws if a current function file differs from its latest install line. */
export function assertInstalled(
  migrations: readonly { name: string; text: string }[],
  functions: readonly FunctionFile[],
): void {
  const latest = new Map<string, string>()
  for (const { text } of migrations)
    for (const [, name, hash] of text.matchAll(INSTALL)) latest.set(name!, hash!)
  for (const { name, text, replaced } of functions)
    if (!replaced && latest.get(name) !== shortHashOf(text))
      throw new Error(
        `db/functions/${name} was changed, but no migration installs the change. Create a migration: npm run migration`,
      )
}

/** Returns the number in `-- oldest code: 0037`. Migrations without this line break older code. */
export function oldestCodeOf(name: string, text: string): string {
  return /^-- oldest code: (\d{4})$/m.exec(text)?.[1] ?? numberOf(name)
}

export const numberOf = (name: string) => name.slice(0, 4)
export const shortHashOf = (text: string) => checksumOf(text).slice(0, 12)
const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex')

function readFolder(folder: string): { name: string; text: string }[] {
  return readdirSync(folder, { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') }))
}
