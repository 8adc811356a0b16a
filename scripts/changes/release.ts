import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitWithUsage, readCommand } from '../command.ts'
import { outdated, PAGE, readStandards } from '../standards/standards.ts'
import { isAbove, readNote, release } from './notes.ts'
import { readReleases } from './releases.ts'
import { withVersion } from './with-version.ts'

/**
 * `npm run release -- VERSION`: moves the notes in `changes/` to CHANGELOG.md and sets the version of all packages. After the commit, `npm
 * run release -- --tag` tags it.
 */
const USAGE = `usage: npm run release -- VERSION
       npm run release -- --tag

Move the notes of changes/ into CHANGELOG.md, and set the version of all packages and the lock file, such as 0.2.0. --tag tags the commit
of the newest version in CHANGELOG.md`
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { tag: { type: 'boolean' } },
})
const root = process.cwd()
const BENCHMARKS = 'docs/benchmarks.json'
const [version, ...more] = positionals
if (
  more.length > 0 ||
  (version === undefined) === !values.tag ||
  (version && !/^\d+\.\d+\.\d+$/.test(version))
)
  exitWithUsage(USAGE, 'expected one version, or --tag')
if (git('status', '--porcelain') !== '')
  exitWithUsage(USAGE, 'the working tree has changes. Commit them before a release')
try {
  if (version) prepare(version)
  else tag()
} catch (error) {
  exitWithUsage(USAGE, (error as Error).message)
}

/** Writes all files of a release. Throws before the first change. */
function prepare(version: string): void {
  const { version: current, workspaces } = JSON.parse(read('package.json')) as {
    version: string
    workspaces: string[]
  }
  const last = readReleases(root).at(-1)
  // The first release may keep the packages' initial version.
  if (!isAbove(version, current) && (last || version !== current))
    throw new Error(`The version ${version} is not above ${current}.`)
  if (last && git('diff', '--name-only', last.commit, '--', BENCHMARKS) === '')
    throw new Error(
      `${BENCHMARKS} is unchanged since ${last.version}. Run npm run bench -- --against ${BENCHMARKS} --save ${BENCHMARKS} first.`,
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
  console.log(`${version}: ${notes.length} notes. Check git diff, and commit it as "Release ${version}".`)
  for (const { name, checked, source } of unchecked)
    console.log(`${name} was last checked on ${checked}. Compare ${source} with ${PAGE}`)
  console.log('Then run npm run release -- --tag, and npm run release:files -- DIRECTORY.')
}

function tag(): void {
  const last = readReleases(root).at(-1)
  if (!last) throw new Error('CHANGELOG.md has no released version.')
  const name = `v${last.version}`
  if (git('tag', '--list', name) !== '') throw new Error(`The tag ${name} already exists.`)
  git('tag', '--annotate', '--message', `ordbook ${last.version}`, name, last.commit)
  console.log(`${name} is ${last.commit}. Push it: git push origin ${name}`)
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
}
