import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from './command.ts'
import { judgeProse } from './prose/judge.ts'

/** Holds documents, comments, texts of errors, logs and pages, test names and SQL against the rules of CONTRIBUTING.md, "House rules". */
readCommand('usage: npm run check:prose', {})

/** The linter itself names the words that it refuses, and the rest is printed from sources that are read. */
const PASSED_OVER = /^scripts\/prose\/|^server\/db\/src\/schema\/schema\.sql$/

const root = join(import.meta.dirname, '..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
const files = git('ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate').filter(
  (path) => /\.(md|sql|tsx?)$/.test(path) && !PASSED_OVER.test(path),
)
const { problems, sentences } = judgeProse(
  new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')])),
)
for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error(
    `prose: ${problems.length} of ${sentences} sentences to rewrite: CONTRIBUTING.md, "House rules"`,
  )
  process.exit(1)
}
console.log(`prose: ${sentences} sentences name their subjects`)
