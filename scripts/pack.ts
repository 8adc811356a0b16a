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
import { readCommand, refuse } from './command.ts'
import { type Manifest, publishedManifest } from './packages/manifest.ts'
import { withPublishedNames } from './packages/published-names.ts'

/**
 * `npm run pack -- DIRECTORY`: compiles the packages that programs outside of this repository install, and writes their tarballs there,
 * ready for `npm publish` and `npm install`.
 */
const USAGE =
  'usage: npm run pack -- DIRECTORY   (writes the tarballs of bitcoin, contract, sdk and the command there)'
const PACKAGES = ['bitcoin', 'contract', 'sdk', 'cli']
/** The libraries know no Node, and the command is for Node alone. */
const CONFIGS = ['tsconfig.packages.json', 'tsconfig.command.json']
const root = join(import.meta.dirname, '..')

const [directory, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!directory || more.length > 0) refuse(USAGE, 'expected one directory')
const destination = resolve(directory)
mkdirSync(destination, { recursive: true })

const work = mkdtempSync(join(tmpdir(), 'ordbook-pack-'))
try {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const compiled = join(work, 'compiled')
  for (const config of CONFIGS)
    run(process.execPath, compiler, '-p', join(root, config), '--outDir', compiled)
  for (const name of PACKAGES) {
    const folder = join(work, name)
    layOut(name, join(compiled, name, 'src'), folder)
    run('npm', 'pack', '--silent', '--pack-destination', destination, folder)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** Writes the folder that is packed: package.json, README, license and `dist`. */
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

/** The source map of a compiled file, which holds its source, with the name of the source in the package instead of on this machine. */
function withPublishedSource(file: string, map: string): string {
  const source = join('..', relative(dirname(file), join('src', file.replace(/\.js\.map$/, '.ts'))))
  return JSON.stringify({ ...JSON.parse(map), sources: [source] })
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: 'inherit', timeout: 300_000 })
}
