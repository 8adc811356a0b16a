import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isAbove, KINDS, readNote, release } from './notes.ts'

const root = join(import.meta.dirname, '../..')
const packageOf = (name: string) => JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))

it('readNote accepts every file in changes/', () => {
  for (const name of readdirSync(join(root, 'changes')).filter((each) => each !== 'README.md'))
    expect(KINDS).toContain(readNote(name, readFileSync(join(root, 'changes', name), 'utf8')).kind)
})

it('all packages have the same version', () => {
  const { version, workspaces } = packageOf('.')
  for (const name of workspaces) expect(packageOf(name).version, name).toBe(version)
})

it('the changelog headings are in order', () => {
  const [, unreleased] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const headings = [...unreleased!.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(KINDS.filter((kind) => headings.includes(kind)))
})

it('readNote joins lines', () => {
  expect(readNote('a.md', 'Fixed: A purchase\n  is sent once.\n')).toEqual({
    kind: 'Fixed',
    text: 'A purchase is sent once.',
  })
})

it('readNote rewrites relative links', () => {
  const { text } = readNote('a.md', 'Fixed: See [one](../docs/a.md#b) and [two](https://example.org/../c).')
  expect(text).toBe('See [one](docs/a.md#b) and [two](https://example.org/../c).')
})

it.each([
  ['Improved: It is better.', 'must begin with "Added: "'],
  ['It is better.', 'must begin with "Added: "'],
  ['Added: it is better.', 'the text must be sentences'],
  ['Added: It is better', 'the text must be sentences'],
  ['Added: It is.\n\nMore.', 'must be one paragraph'],
])('readNote rejects %j', (text, problem) => {
  expect(() => readNote('a.md', text)).toThrow(`a.md: ${problem}`)
})

const BEFORE =
  '# Changelog\n\n## Unreleased\n\n### Added\n\n- Old.\n\n### Fixed\n\n- Also old.\n\n## 0.1.0, 2026-01-02\n\n- First.\n'

it('release appends notes to their sections', () => {
  const notes = [
    { kind: 'Security', text: 'Safe.' },
    { kind: 'Added', text: 'New.' },
  ] as const
  expect(release(BEFORE, notes, '0.2.0', '2026-03-04')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.2.0, 2026-03-04\n\n### Added\n\n- Old.\n\n- New.\n\n### Fixed\n\n- Also old.\n\n### Security\n\n- Safe.\n\n## 0.1.0, 2026-01-02\n\n- First.\n',
  )
})

it('release rejects an empty release', () => {
  const empty = '# Changelog\n\n## Unreleased\n'
  expect(release(empty, [{ kind: 'Added', text: 'New.' }], '0.1.0', '2026-03-04')).toBe(
    '# Changelog\n\n## Unreleased\n\n## 0.1.0, 2026-03-04\n\n### Added\n\n- New.\n',
  )
  expect(() => release(empty, [], '0.1.0', '2026-03-04')).toThrow('There are no unreleased changes')
})

it('isAbove compares versions numerically', () => {
  expect(isAbove('0.10.0', '0.9.1')).toBe(true)
  expect(isAbove('0.9.1', '0.10.0')).toBe(false)
  expect(isAbove('1.0.0', '1.0.0')).toBe(false)
})
