import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { numberOf, readFunctions, shortHashOf } from '@ordbook/db/schema/migrations.ts'

/**
 * `npm run migration -- NAME`: creates the next migration. It installs the function files that changed since the previous migration, and
 * keeps their previous versions for earlier migrations.
 */
const [name] = process.argv.slice(2)
if (!name || !/^[a-z0-9-]+$/.test(name)) {
  console.error('usage: npm run migration -- NAME (lower-case letters, digits and hyphens)')
  process.exit(2)
}
const root = join(import.meta.dirname, '../..')
const db = join(root, 'server/db/src/schema')
const migrations = readdirSync(join(db, 'migrations')).sort()
const installed = new Map<string, string>()
for (const file of migrations)
  for (const [, name, hash] of readFileSync(join(db, 'migrations', file), 'utf8').matchAll(
    /^-- install: (\S+) (\w+)$/gm,
  ))
    installed.set(name!, hash!)

const lines: string[] = []
for (const file of readFunctions()) {
  const former = installed.get(file.name)
  const hash = shortHashOf(file.text)
  if (file.replaced || former === hash) continue
  lines.push(`-- install: ${file.name} ${hash}`)
  if (!former) continue
  const path = `server/db/src/schema/functions/${file.path}`
  const text = execFileSync('git', ['show', `HEAD:${path}`], { cwd: root, encoding: 'utf8' })
  if (shortHashOf(text) !== former)
    throw new Error(
      `${path}: HEAD does not contain ${former}, which a migration installs. Commit it before changing it`,
    )
  mkdirSync(join(db, 'functions/replaced'), { recursive: true })
  writeFileSync(join(db, 'functions/replaced', file.name.replace(/sql$/, `${former}.sql`)), text)
}
const number = String(Number(numberOf(migrations.at(-1)!)) + 1).padStart(4, '0')
const file = join(db, 'migrations', `${number}-${name}.sql`)
writeFileSync(file, ['-- ', ...lines, ''].join('\n'))
console.log(file)
