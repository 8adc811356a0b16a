import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const MIGRATIONS = join(import.meta.dirname, 'migrations')
const FUNCTIONS = join(import.meta.dirname, 'functions')

/** A numbered file of the schema. */
export interface Migration {
  name: string
  /** SQL, including the function files that it installs. */
  text: string
  /** SHA-256 of the file in hex. */
  checksum: string
  /** The oldest code that may use the schema after this migration, as the number of that code's last migration. */
  oldestCode: string
}

/** A file of SQL functions, triggers and views: a current one, or one that a later migration replaced. */
export interface FunctionFile {
  /** `book-entries.sql`, without the hash of replaced files. */
  name: string
  text: string
  replaced: boolean
}

/** The migrations of this code, in order. Throws if a current function file differs from what migrations install. */
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

/** All function files: current ones in functions/, older ones in functions/replaced/ as `book-entries.3f2a….sql`. */
export function readFunctions(): FunctionFile[] {
  return [
    ...readFolder(FUNCTIONS).map((file) => ({ ...file, replaced: false })),
    ...readFolder(join(FUNCTIONS, 'replaced')).map(({ name, text }) => ({
      name: name.replace(/\.[0-9a-f]+\.sql$/, '.sql'),
      text,
      replaced: true,
    })),
  ]
}

/** A line `-- install: book-entries.sql 3f2a…` of a migration: a file, and the first digits of its SHA-256. */
const INSTALL = /^-- install: (\S+\.sql) ([0-9a-f]{12})$/gm

/** A migration's SQL, with each install line replaced by the function file with that checksum. */
export function withFunctions(migration: string, text: string, functions: readonly FunctionFile[]): string {
  return text.replace(INSTALL, (_, name: string, hash: string) => {
    const file = functions.find((each) => each.name === name && shortHashOf(each.text) === hash)
    if (!file)
      throw new Error(
        `db/functions: the migration ${migration} installs ${name} as of ${hash}, which is not there. Restore that file, or keep it in functions/replaced and install the new one by a new migration: npm run migration`,
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
        `db/functions/${name} was changed, and no migration installs it. A change of SQL functions needs a new migration: npm run migration`,
      )
}

/**
 * The number in a migration's line `-- oldest code: 0037`. Without that line, older code may not use the schema after the migration; only a
 * backward-compatible migration may have it.
 */
export function oldestCodeOf(name: string, text: string): string {
  return /^-- oldest code: (\d{4})$/m.exec(text)?.[1] ?? numberOf(name)
}

export const numberOf = (name: string) => name.slice(0, 4)
export const shortHashOf = (text: string) => checksumOf(text).slice(0, 12)
const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex')

function readFolder(folder: string): { name: string; text: string }[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n') }))
}
