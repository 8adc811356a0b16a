import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readCommand } from '../command.ts'
import { checkLinks } from './problems.ts'

readCommand('usage: npm run check -- links', {})
const root = join(import.meta.dirname, '../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
const files = git('ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate').filter(Boolean)
const read = (pattern: RegExp) =>
  new Map(
    files
      .filter((path) => pattern.test(path) && !path.endsWith('links/problems.test.ts'))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
const folders = files.map((path) => dirname(path))
const documents = read(/\.md$/)
const problems = checkLinks(documents, new Set([...files, ...folders]), read(/\.(ts|tsx|sql|json)$/))
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`links: ${documents.size} documents without broken links`)
