import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readCommand } from './command.ts'
import { judge } from './imports/judge.ts'
import { withLaw } from './imports/table.ts'
import { WORKSPACES } from './workspaces.ts'

/**
 * Holds the law of imports (scripts/imports/law.ts) against the source of every package, tests aside, and its print in
 * ARCHITECTURE.md; `--write` prints it there again.
 */
const USAGE = 'usage: npm run check:imports [-- --write]   (--write prints the law in ARCHITECTURE.md)'
const { values } = readCommand(USAGE, { options: { write: { type: 'boolean', default: false } } })
const root = join(import.meta.dirname, '..')
const sources = new Map(
  [...WORKSPACES.values()]
    .flatMap((folder) => readdirSync(join(root, folder, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(root, path), readFileSync(path, 'utf8')] as const),
)
const problems = judge(sources)

const document = join(root, 'ARCHITECTURE.md')
const text = readFileSync(document, 'utf8')
if (values.write) writeFileSync(document, withLaw(text))
else if (withLaw(text) !== text)
  problems.push('ARCHITECTURE.md: its tables are not the law: npm run check:imports -- --write')

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`imports: the arrows of ${sources.size} files keep to the law`)
