import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')

/** Builds the storefront where its sources are newer than what is built; false where there was nothing to do. */
export async function buildStorefront(): Promise<boolean> {
  const built = join(root, 'web/dist/index.html')
  const sources = ['web', 'sdk/src', 'bitcoin/src', 'package-lock.json'].map((each) => join(root, each))
  if (existsSync(built) && Math.max(...sources.map(newestOf)) < statSync(built).mtimeMs) return false
  await build({ root: join(root, 'web'), logLevel: 'warn' })
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
