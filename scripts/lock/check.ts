import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '../command.ts'
import { checkCopies, checkLock, type Lock } from './problems.ts'

readCommand('usage: npm run check -- lock', {})
const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as Lock
const problems = [...checkLock(lock), ...checkCopies(lock)]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`lock: ${Object.keys(lock.packages).length} entries, with all optional packages`)
