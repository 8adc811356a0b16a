import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '../command.ts'
import { judgeLock, type Lock } from './judge.ts'

/** Holds that the lock file has an entry of each optional package that it names, for every kind of machine. */
readCommand('usage: npm run check -- lock', {})
const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as Lock
const problems = judgeLock(lock)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`lock: ${Object.keys(lock.packages).length} entries, all optional packages among them`)
