import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readCommand } from '../command.ts'
import { WORKSPACES } from '../workspaces.ts'
import { checkImports } from './problems.ts'

readCommand('usage: npm run check -- imports', {})
const root = join(import.meta.dirname, '../..')
const sources = new Map(
  [...WORKSPACES.values()]
    .flatMap((folder) => readdirSync(join(root, folder, 'src'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(root, path), readFileSync(path, 'utf8')] as const),
)
const problems = checkImports(sources)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`imports: ${sources.size} files follow the rules`)
