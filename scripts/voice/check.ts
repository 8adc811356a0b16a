import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand } from '../command.ts'
import { ROOT } from '../run.ts'
import { marksIn } from './marks.ts'
import { hasTexts, KINDS, type Kind, type Text, textsOf, wordsIn } from './texts.ts'

const LIMITS: Readonly<Record<Kind, number>> = { documents: 2, comments: 2, messages: 2, 'test names': 2 }

const USAGE = `usage: npx node scripts/voice/check.ts [FILE...]

Count the phrases of scripts/voice/marks.ts in documents, comments, messages and test names. List the phrases in the given files, or in the
lines that were added since the branch left origin/main. CONTRIBUTING.md explains how to write.`
const listed = readCommand(USAGE, { allowPositionals: true }).positionals
const git = (...args: string[]) =>
  execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  })

const counts = new Map(KINDS.map((kind) => [kind, { words: 0, marks: 0 }]))
const added = addedLines()
for (const file of git('ls-files', '--cached', '--others', '--exclude-standard')
  .split('\n')
  .filter(hasTexts)) {
  if (!existsSync(join(ROOT, file))) continue
  for (const text of textsOf(file, readFileSync(join(ROOT, file), 'utf8'))) judge(file, text)
}
console.log(
  `voice: ${KINDS.map((kind) => `${kind} ${rateOf(kind).toFixed(1)} of ${counts.get(kind)!.words}`).join(', ')} (marked phrases per 1,000 words)`,
)
const above = KINDS.filter((kind) => rateOf(kind) > LIMITS[kind])
if (above.length > 0) {
  console.error(
    `${above.map((kind) => `${kind}: at most ${LIMITS[kind]} marked phrases per 1,000 words`).join('; ')}. Rewrite the listed lines; CONTRIBUTING.md explains how.`,
  )
  process.exit(1)
}

function judge(file: string, { kind, line, text }: Text): void {
  const count = counts.get(kind)!
  const marks = marksIn(text)
  count.words += wordsIn(text)
  count.marks += marks.length
  if (marks.length > 0 && (listed.length > 0 ? listed.includes(file) : added.has(`${file}:${line}`)))
    console.log(`${file}:${line}: [${marks.join(', ')}] ${text.trim()}`)
}

function rateOf(kind: Kind): number {
  const { words, marks } = counts.get(kind)!
  return words === 0 ? 0 : (1000 * marks) / words
}

/** Returns the lines added since the branch left origin/main, as FILE:LINE. Empty in a clone without origin/main. */
function addedLines(): Set<string> {
  const lines = new Set<string>()
  let diff: string
  try {
    diff = git('diff', '-U0', '--no-color', git('merge-base', 'HEAD', 'origin/main').trim(), '--')
  } catch {
    return lines
  }
  let file = ''
  for (const row of diff.split('\n')) {
    if (row.startsWith('+++ b/')) file = row.slice(6)
    const [, start, count = '1'] = /^@@ .* \+(\d+)(?:,(\d+))? @@/.exec(row) ?? []
    for (let at = 0; start && at < Number(count); at++) lines.add(`${file}:${Number(start) + at}`)
  }
  return lines
}
