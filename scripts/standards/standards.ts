import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A standard that the code relies on, from docs/reference/standards.md. */
export interface Standard {
  name: string
  version: string
  /** Date of the last comparison with its source, YYYY-MM-DD. */
  checked: string
  source: string
  /** Test files that check conformance. */
  vectors: readonly string[]
}

export const PAGE = 'docs/reference/standards.md'
/** Age in days after which a release lists a standard. */
const MAX_DAYS = 180
const DAY = 86_400_000

export function standardsOf(page: string): Standard[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Standard ') && !line.startsWith('| ---'))
    .map((line) => {
      const [, name = '', version = '', checked = '', source = '', vectors = ''] = line
        .split('|')
        .map((cell) => cell.trim())
      return {
        name,
        version,
        checked,
        source: /\]\((\S+)\)/.exec(source)?.[1] ?? source,
        vectors: [...vectors.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
      }
    })
}

export const readStandards = (root: string): Standard[] => standardsOf(readFileSync(join(root, PAGE), 'utf8'))

/** Lists the problems of a row. At least one of its tests must mention the standard. */
export function problemsOf({ name, version, checked, source, vectors }: Standard, root: string): string[] {
  const problems: string[] = []
  if (version === '') problems.push(`${name}: no version`)
  if (!/^\d{4}-\d\d-\d\d$/.test(checked) || Number.isNaN(Date.parse(checked)))
    problems.push(`${name}: ${JSON.stringify(checked)} is not a date`)
  if (!/^https:\/\/\S+$/.test(source)) problems.push(`${name}: no source`)
  const missing = vectors.filter((path) => !existsSync(join(root, path)))
  for (const path of missing) problems.push(`${name}: ${path} does not exist`)
  const tests = vectors.filter((path) => path.endsWith('.test.ts') && !missing.includes(path))
  if (tests.length === 0) problems.push(`${name}: no test with vectors`)
  else if (!tests.some((path) => plain(readFileSync(join(root, path), 'utf8')).includes(plain(name))))
    problems.push(`${name}: none of ${tests.join(', ')} mentions it`)
  return problems
}

const plain = (text: string) => text.toLowerCase().replace(/[\s-]+/g, '')

export const outdated = (standards: readonly Standard[], now: Date): Standard[] =>
  standards.filter(({ checked }) => now.getTime() - Date.parse(checked) > MAX_DAYS * DAY)
