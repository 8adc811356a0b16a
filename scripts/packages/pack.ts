import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { exitWithUsage, readCommand } from '../command.ts'
import { type Manifest, publishedManifest } from './manifest.ts'
import { withPublishedNames } from './published-names.ts'

/** `npm run pack -- DIRECTORY`: writes the tarballs of the libraries and of `ordbook`, the bundle, for `npm publish` and `npm install`. */
const USAGE =
  'usage: npm run pack -- DIRECTORY   (writes the tarballs of bitcoin, contract, sdk and ordbook there)'
const LIBRARIES = ['bitcoin', 'contract', 'sdk']
const root = join(import.meta.dirname, '../..')

const [directory, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!directory || more.length > 0) exitWithUsage(USAGE, 'expected one directory')
const destination = resolve(directory)
mkdirSync(destination, { recursive: true })

const work = mkdtempSync(join(tmpdir(), 'ordbook-pack-'))
try {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = join(work, 'compiled')
  run(process.execPath, compiler, '-p', join(root, 'tsconfig.packages.json'), '--outDir', compiled)
  for (const name of LIBRARIES) {
    const folder = join(work, name)
    layOut(name, join(compiled, name, 'src'), folder)
    pack(folder)
  }
  // The trader's commands must compile for Node 20.
  run(process.execPath, compiler, '-p', join(root, 'tsconfig.command.json'))
  const bundle = join(work, 'bundle')
  run(process.execPath, join(root, 'scripts/bundle.ts'), bundle)
  pack(bundle)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function layOut(name: string, compiled: string, folder: string): void {
  for (const file of filesIn(compiled)) {
    const text = readFileSync(join(compiled, file), 'utf8')
    const path = join(folder, 'dist', file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      file.endsWith('.map') ? withPublishedSource(file, text) : withPublishedNames(file, text),
    )
  }
  const manifest = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as Manifest
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`)
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const readme = join(root, name, 'README.md')
  if (existsSync(readme)) copyFileSync(readme, join(folder, 'README.md'))
}

/** Rewrites the source of a source map to its name in the package. */
function withPublishedSource(file: string, map: string): string {
  const source = join('..', relative(dirname(file), join('src', file.replace(/\.js\.map$/, '.ts'))))
  return JSON.stringify({ ...JSON.parse(map), sources: [source] })
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function pack(folder: string): void {
  run('npm', 'pack', '--silent', '--pack-destination', destination, folder)
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit', timeout: 300_000 })
}
