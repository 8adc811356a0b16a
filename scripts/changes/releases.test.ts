import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readReleases, releasedIn } from './releases.ts'

/** A separate repository, in which the command makes releases. */
let folder: string
const SCRIPT = join(import.meta.dirname, 'release.ts')
const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const versionOf = (path: string) => JSON.parse(read(path)).version
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}
const refused = (message: string) => ({ status: 1, said: expect.stringContaining(message) })
function commit(message: string): string {
  git('add', '--all')
  git('commit', '--quiet', '--message', message)
  return git('rev-parse', 'HEAD')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-release-'))
  for (const name of ['changes', 'sdk', 'docs/reference']) mkdirSync(join(folder, name), { recursive: true })
  write('package.json', '{\n  "name": "ordbook",\n  "version": "0.1.0",\n  "workspaces": ["sdk"]\n}\n')
  write('sdk/package.json', '{\n  "name": "@ordbook/sdk",\n  "version": "0.1.0"\n}\n')
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n### Fixed\n\n- Old.\n\n## 0.1.0\n\nFirst.\n')
  write('docs/benchmarks.json', '{}\n')
  const row = (name: string, checked: string) =>
    `| ${name} | 1 | ${checked} | [x](https://${name}.example) | \`a\` |\n`
  const today = new Date().toISOString().slice(0, 10)
  write('docs/reference/standards.md', row('fresh', today) + row('stale', '2020-01-31'))
  write('changes/README.md', '# Notes\n')
  write('changes/new.md', 'Added: New.\n')
  git('init', '--quiet')
  for (const [name, value] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.org'],
  ] as const)
    git('config', name, value)
  commit('Begin')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('readReleases finds the commit of each version', () => {
  expect(readReleases(folder)).toEqual([])
  expect(run('--tag')).toEqual(refused('no released version'))
  const released = run('0.1.0')
  expect(released).toMatchObject({ status: 0 })
  expect(released.said).toContain(
    'stale was last checked on 2020-01-31. Compare https://stale.example with docs/reference/standards.md',
  )
  expect(released.said).not.toContain('fresh')
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 0\.1\.0, \d{4}-\d\d-\d\d\n\nFirst\.\n\n### Added\n\n- New\.\n\n### Fixed\n\n- Old\.\n$/,
  )
  expect(readdirSync(join(folder, 'changes'))).toEqual(['README.md'])
  const first = { version: '0.1.0', commit: commit('Release 0.1.0') }
  // With and without a tag.
  expect(readReleases(folder)).toEqual([first])
  expect(run('--tag')).toMatchObject({ status: 0 })
  expect(git('rev-parse', 'v0.1.0^{commit}')).toBe(first.commit)
  expect(run('--tag')).toEqual(refused('The tag v0.1.0 already exists.'))

  write('changes/next.md', 'Changed: Next.\n')
  commit('Change')
  expect(run('0.1.0')).toEqual(refused('The version 0.1.0 is not above 0.1.0.'))
  expect(run('0.2.0')).toEqual(refused('docs/benchmarks.json is unchanged since 0.1.0'))
  write('docs/benchmarks.json', '{"new": 1}\n')
  expect(run('0.2.0')).toEqual(refused('Commit them before a release'))
  commit('Measure')
  expect(run('0.2.0')).toMatchObject({ status: 0 })
  for (const path of ['package.json', 'sdk/package.json', 'package-lock.json'])
    expect(versionOf(path), path).toBe('0.2.0')
  const second = { version: '0.2.0', commit: commit('Release 0.2.0') }
  git('tag', '--delete', 'v0.1.0')
  write('CHANGELOG.md', read('CHANGELOG.md').replace('- Next.', '- Next, said better.'))
  commit('Mend the changelog')
  expect(readReleases(folder)).toEqual([first, second])
})

it('readReleases uses the last commit of a repeated release', () => {
  run('0.1.0')
  commit('Release 0.1.0')
  write('CHANGELOG.md', read('CHANGELOG.md').replace(/^## 0\.1\.0, .*$/m, '## 0.1.0'))
  commit('Withdraw 0.1.0')
  expect(readReleases(folder)).toEqual([])
  expect(run('0.1.0')).toMatchObject({ status: 0 })
  const secondRelease = { version: '0.1.0', commit: commit('Release 0.1.0') }
  expect(readReleases(folder)).toEqual([secondRelease])
})

it('the release command rejects a malformed version', () => {
  expect(run('next')).toEqual(refused('expected one version'))
  expect(run()).toEqual(refused('expected one version'))
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n')
  rmSync(join(folder, 'changes/new.md'))
  commit('Empty')
  expect(run('0.1.0')).toEqual(refused('There are no unreleased changes'))
})

it('readReleases rejects a shallow clone', () => {
  run('0.1.0')
  commit('Release 0.1.0')
  write('changes/next.md', 'Changed: Next.\n')
  commit('Change')
  const clone = `${folder}-clone`
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${folder}`, clone])
    expect(() => readReleases(clone)).toThrow('git fetch --unshallow --tags')
  } finally {
    rmSync(clone, { recursive: true, force: true })
  }
})

it('releasedIn lists versions, oldest first', () => {
  expect(releasedIn('## Unreleased\n## 0.2.0, 2026-12-01\n## 0.1.0, 2026-11-25\n## 0.0.1\n')).toEqual([
    '0.1.0',
    '0.2.0',
  ])
})
