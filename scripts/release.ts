import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAbove, readNote, release } from './changes/notes.ts'
import { withVersion } from './changes/with-version.ts'
import { readCommand, refuse } from './command.ts'

/**
 * `npm run release -- VERSION`: moves the notes in `changes/` into CHANGELOG.md and gives all packages the version. Commits nothing.
 */
const USAGE =
  'usage: npm run release -- VERSION   (three numbers: 0.2.0; moves the notes of changes/ into CHANGELOG.md)'
const [version, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!version || !/^\d+\.\d+\.\d+$/.test(version) || more.length > 0) refuse(USAGE, 'expected one version')
// npm runs its scripts at the root of the repository.
const root = process.cwd()
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const { version: current, workspaces } = JSON.parse(read('package.json')) as {
  version: string
  workspaces: string[]
}
// The version that the packages begin with is itself unreleased at first.
const isFirst = !/^## \d.*, \d{4}-/m.test(read('CHANGELOG.md'))
if (!isAbove(version, current) && !(isFirst && version === current))
  refuse(USAGE, `${version} is not above ${current}`)

const notes = readdirSync(join(root, 'changes'))
  .filter((name) => name !== 'README.md')
  .sort()
try {
  const changelog = release(
    read('CHANGELOG.md'),
    notes.map((name) => readNote(`changes/${name}`, read(`changes/${name}`))),
    version,
    new Date().toISOString().slice(0, 10),
  )
  writeFileSync(join(root, 'CHANGELOG.md'), changelog)
} catch (error) {
  refuse(USAGE, (error as Error).message)
}
for (const path of ['.', ...workspaces].map((name) => `${name}/package.json`))
  writeFileSync(join(root, path), withVersion(read(path), version))
for (const name of notes) rmSync(join(root, 'changes', name))
console.log(`${version}: ${notes.length} notes. Run npm install, then commit.`)
