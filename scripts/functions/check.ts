import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '../command.ts'
import { ROOT } from '../run.ts'
import { longFunctions } from './problems.ts'

readCommand('usage: npm run check -- functions', {})
const files = globSync(['{*,server/*}/src/**/*.{ts,tsx}', 'scripts/**/*.ts'], { cwd: ROOT }).filter(
  (file) => !/\.test\.tsx?$/.test(file),
)
const problems = files.flatMap((file) => longFunctions(file, readFileSync(join(ROOT, file), 'utf8')))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`functions: ${files.length} files, no function of more than 80 lines`)
