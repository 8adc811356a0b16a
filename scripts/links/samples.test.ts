import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blocksOf, isExcerpt } from './samples.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
/**
 * Files that suites run. e2e/operations/guides.test.ts and e2e/sdk/examples.test.ts run the examples, and e2e/start/start.test.ts the
 * demo trade.
 */
const SOURCES = [
  ...globSync(['docs/examples/*.ts', 'sdk/examples/*.ts'], { cwd: root }),
  'scripts/market/demo-trade.ts',
].map(read)
const samples = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })].flatMap((path) =>
  blocksOf(read(path))
    .filter(({ language }) => /^(ts|tsx|js|typescript|javascript)$/.test(language))
    .map(({ text }) => [path, text] as const),
)

it.each(samples)('the sample in %s is from a tested file: %s', (_, text) => {
  expect(SOURCES.some((source) => isExcerpt(text, source))).toBe(true)
})

it('isExcerpt rejects other text', () => {
  const source = 'const a = 1\nfunction f() {\n  if (a) {\n    g()\n  }\n}\n'
  expect(isExcerpt('if (a) {\n  g()\n}\n', source)).toBe(true)
  expect(isExcerpt('if (a) {\n  h()\n}\n', source)).toBe(false)
  expect(isExcerpt('if (a) {\ng()\n}\n', source)).toBe(false)
  expect(blocksOf('```ts\na\n```\ntext\n```\nb\n```')).toEqual([
    { language: 'ts', text: 'a\n' },
    { language: '', text: 'b\n' },
  ])
})

it('the glossary has at most 40 entries', () => {
  const [terms] = read('docs/reference/glossary.md').split('## Prices')
  const words = [...terms!.matchAll(/^\| [^-|]+\|/gm)].slice(1)
  expect(words.length).toBeGreaterThan(20)
  expect(words.length).toBeLessThanOrEqual(40)
})
