import { expect, it } from 'vitest'
import { checkLinks } from './problems.ts'

const BOOK = {
  'README.md': '[the book](docs/README.md)',
  'docs/README.md': '[a guide](guides/start.md#first-steps-and-more) [a folder](guides)',
  'docs/guides/start.md':
    '# Start\n\n## First `steps`, and more\n\n[up](../README.md) [web](https://x.example/y.md)',
}
const check = (documents: Record<string, string>, sources: Record<string, string> = {}) => {
  const all = { ...BOOK, ...documents }
  return checkLinks(
    new Map(Object.entries(all)),
    new Set([...Object.keys(all), 'docs/guides']),
    new Map(Object.entries(sources)),
  )
}

it('checkLinks accepts valid links', () => {
  expect(check({})).toEqual([])
  expect(check({}, { 'a.ts': '// see docs/guides/start.md, and other/docs/of-theirs.md' })).toEqual([])
})

it('checkLinks accepts an anchor within a line', () => {
  expect(check({ 'README.md': '- <a id="one-code"></a>text\n\n[x](#one-code) [b](docs/README.md)' })).toEqual(
    [],
  )
})

it('checkLinks ignores links in code', () => {
  expect(check({ 'README.md': '[b](docs/README.md) `[a](x.md)`\n```md\n[a](x.md)\n```' })).toEqual([])
})

it.each([
  ['a missing file', { 'README.md': 'text\n[x](docs/gone.md)' }, 'README.md:2: docs/gone.md does not exist'],
  [
    'a missing heading',
    { 'README.md': '[x](docs/guides/start.md#second)' },
    'README.md:1: docs/guides/start.md has no heading #second',
  ],
  [
    'a missing heading on the same page',
    { 'README.md': '[x](#gone)' },
    'README.md:1: README.md has no heading #gone',
  ],
  [
    'a heading within a code block',
    { 'README.md': '[x](#gone)\n```sh\n# gone\n```' },
    'README.md:1: README.md has no heading #gone',
  ],
  [
    'an unreachable page',
    { 'docs/alone.md': '# Alone' },
    'docs/alone.md: no link leads here from docs/README.md',
  ],
])('checkLinks reports %s', (_, documents, problem) => {
  expect(check(documents)).toEqual([problem])
})

it('checkLinks reports a missing page in a comment', () => {
  expect(check({}, { 'server/a.ts': '\n// docs/chain.md says why' })).toEqual([
    'server/a.ts:2: docs/chain.md does not exist',
  ])
})
