import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const MIGRATIONS = join(import.meta.dirname, 'migrations')
const FUNCTIONS = join(import.meta.dirname, 'functions')

/** A numbered file of the schema. */
export interface Migration {
  name: string
  /** With the function files that it installs. */
  text: string
  /** SHA-256 of the file in hex. */
  checksum: string
  /** Number of the last migration that the oldest code knows which may use the schema after this one. */
  oldestCode: string
}

/** A file of SQL functions, triggers and views: the present one, or one that a later migration replaced. */
export interface FunctionFile {
  /** `book-entries.sql`, for replaced ones too. */
  name: string
  text: string
  replaced: boolean
}

/** The migrations of this code in order. Throws where a function file is not the one that migrations install. */
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

/** Every function file: in functions/ the present ones, in functions/replaced/ older ones as `book-entries.3f2a….sql`. */
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

/** A line `-- install: book-entries.sql 3f2a…` of a migration: the file, and the first digits of its SHA-256. */
const INSTALL = /^-- install: (\S+\.sql) ([0-9a-f]{12})$/gm

/** The text of a migration, each of its install lines replaced by the function file that had this checksum. */
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

/** Throws where a present function file is not the one that its latest install line names. */
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
 * The number that a migration's line `-- oldest code: 0037` gives. Without that line older code may not use the schema
 * after the migration: only an expansion may say otherwise.
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
