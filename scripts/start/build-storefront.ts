import { execFile } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** Builds the storefront if its sources are newer than the build; returns false if there was nothing to do. */
export async function buildStorefront(): Promise<boolean> {
  const destination = join(root, 'web/dist')
  const built = join(destination, 'index.html')
  const sources = ['web', 'web-ui/src', 'sdk/src', 'bitcoin/src', 'package-lock.json'].map((each) =>
    join(root, each),
  )
  if (existsSync(built) && Math.max(...sources.map(newestOf)) < statSync(built).mtimeMs) return false
  // A separate process, so that pages built in a test run equal the served ones.
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const env = { ...process.env, NODE_ENV: 'production' }
  // The pages appear once they are complete: an interrupted build is repeated.
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
