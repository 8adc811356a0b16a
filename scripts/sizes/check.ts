import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '../command.ts'
import { ROOT } from '../run.ts'
import { fullFolders, longFunctions } from './problems.ts'

readCommand('usage: npm run check -- sizes', {})
const files = globSync(['{*,server/*}/src/**/*.{ts,tsx}', 'scripts/**/*.ts'], { cwd: ROOT }).filter(
  (file) => !/\.test\.tsx?$/.test(file),
)
const inFolders = globSync('{e2e,scripts,server,web,web-ui}/**/*.{ts,tsx,sql}', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**'],
})
const problems = [
  ...files.flatMap((file) => longFunctions(file, readFileSync(join(ROOT, file), 'utf8'))),
  ...fullFolders(inFolders),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(
  `sizes: ${files.length} files, no function of more than 80 lines, no folder of more than 25 files`,
)
