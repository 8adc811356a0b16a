import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCommand, refuse } from '../command.ts'
import { outdated, PAGE, readStandards } from '../standards/standards.ts'
import { isAbove, readNote, release } from './notes.ts'
import { readReleases } from './releases.ts'
import { withVersion } from './with-version.ts'

/**
 * `npm run release -- VERSION`: moves the notes in `changes/` into CHANGELOG.md and gives all packages the version. Commits nothing. Once
 * that is committed, `npm run release -- --tag` tags it.
 */
const USAGE = `usage: npm run release -- VERSION
       npm run release -- --tag

moves the notes of changes/ into CHANGELOG.md, and gives all packages and the lock file the version, three numbers: 0.2.0. --tag gives the commit
of the newest version in CHANGELOG.md its tag`
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { tag: { type: 'boolean' } },
})
// npm runs its scripts at the root of the repository.
const root = process.cwd()
const BENCHMARKS = 'docs/benchmarks.json'
const [version, ...more] = positionals
if (
  more.length > 0 ||
  (version === undefined) === !values.tag ||
  (version && !/^\d+\.\d+\.\d+$/.test(version))
)
  refuse(USAGE, 'expected one version, or --tag')
if (git('status', '--porcelain') !== '')
  refuse(USAGE, 'files differ from the last commit: commit them before a release')
try {
  if (version) prepare(version)
  else tag()
} catch (error) {
  refuse(USAGE, (error as Error).message)
}

/** Changes all files of a release. Throws before the first change. */
function prepare(version: string): void {
  const { version: current, workspaces } = JSON.parse(read('package.json')) as {
    version: string
    workspaces: string[]
  }
  const last = readReleases(root).at(-1)
  // The version that the packages begin with is itself unreleased at first.
  if (!isAbove(version, current) && (last || version !== current))
    throw new Error(`${version} is not above ${current}`)
  if (last && git('diff', '--name-only', last.commit, '--', BENCHMARKS) === '')
    throw new Error(
      `${BENCHMARKS} is that of ${last.version}: first npm run bench -- --against ${BENCHMARKS} --save ${BENCHMARKS}`,
    )
  const unchecked = outdated(readStandards(root), new Date())
  const notes = readdirSync(join(root, 'changes'))
    .filter((name) => name !== 'README.md')
    .sort()
  const changelog = release(
    read('CHANGELOG.md'),
    notes.map((name) => readNote(`changes/${name}`, read(`changes/${name}`))),
    version,
    new Date().toISOString().slice(0, 10),
  )
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
  for (const path of ['.', ...workspaces].map((name) => `${name}/package.json`))
    writeFileSync(join(root, path), withVersion(read(path), version))
  for (const name of notes) rmSync(join(root, 'changes', name))
  const lock = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', lock, { cwd: root, stdio: 'pipe' })
  console.log(`${version}: ${notes.length} notes. Read git diff, and commit it as "Release ${version}".`)
  for (const { name, checked, source } of unchecked)
    console.log(`${name} was last checked on ${checked}: compare ${source} with ${PAGE}`)
  console.log('Then npm run release -- --tag, and npm run release:files -- DIRECTORY.')
}

/** Tags the commit of the newest version. */
function tag(): void {
  const last = readReleases(root).at(-1)
  if (!last) throw new Error('CHANGELOG.md has no released version')
  const name = `v${last.version}`
  if (git('tag', '--list', name) !== '') throw new Error(`${name} is there already`)
  git('tag', '--annotate', '--message', `ordbook ${last.version}`, name, last.commit)
  console.log(`${name} is ${last.commit}. Push it: git push origin ${name}`)
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
