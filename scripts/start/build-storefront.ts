import { execFile } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** Builds the storefront if its sources are newer than the build. Returns whether it was built. */
export async function buildStorefront(): Promise<boolean> {
  const destination = join(root, 'web/dist')
  const built = join(destination, 'index.html')
  const sources = ['web', 'web-ui/src', 'sdk/src', 'bitcoin/src', 'package-lock.json'].map((each) =>
    join(root, each),
  )
  if (existsSync(built) && Math.max(...sources.map(newestOf)) < statSync(built).mtimeMs) return false
  // A separate process, so that a build during a test run equals the production build.
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const env = { ...process.env, NODE_ENV: 'production' }
  // Build in a temporary folder, so that an interrupted build leaves no incomplete pages.
  const folder = join(root, 'build/storefront')
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', 'web', '--logLevel', 'warn', '--outDir', folder, '--emptyOutDir'],
    { cwd: root, env },
  )
  rmSync(destination, { recursive: true, force: true })
  renameSync(folder, destination)
  return true
}

function newestOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs
  return Math.max(
    0,
    ...readdirSync(path)
      .filter((name) => name !== 'dist' && name !== 'node_modules')
      .map((name) => newestOf(join(path, name))),
  )
}
