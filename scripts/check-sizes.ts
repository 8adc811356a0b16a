import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readCommand } from './command.ts'
import { judgeSizes } from './sizes/judge.ts'
import { WORKSPACES } from './workspaces.ts'

/** Holds files, functions and the median file within their bounds: hand-written sources of the product, tests aside. */
readCommand('usage: npm run check:sizes', {})
const root = join(import.meta.dirname, '..')
const FOLDERS = [...WORKSPACES.values()].map((folder) => join(folder, 'src')).concat('scripts')
/** One migration makes all tables. */
const BASELINE = 'server/db/src/schema/migrations/0001-baseline.sql'

const sources = new Map(
  FOLDERS.flatMap((name) => readdirSync(join(root, name), { recursive: true, withFileTypes: true }))
    .filter(
      (entry) => entry.isFile() && /\.(tsx?|sql|css)$/.test(entry.name) && !entry.name.endsWith('.test.ts'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(root, path), readFileSync(path, 'utf8')] as const)
    .filter(([file]) => file !== BASELINE),
)
const { problems, functions, longestFile, longestFunction, medianFile } = judgeSizes(sources)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(
  `sizes: ${sources.size} files of at most ${longestFile} lines, median ${medianFile}; ${functions} functions of at most ${longestFunction} lines`,
)
