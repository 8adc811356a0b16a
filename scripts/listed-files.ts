import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** Returns its argument: paths or globs relative to the root of the repository. Throws if one matches no file. */
export function listedFiles(paths: string[]): string[] {
  const missing = paths.filter((path) => globSync(path, { cwd: root }).length === 0)
  if (missing.length > 0) throw new Error(`No such test files: ${missing.join(', ')}`)
  return paths
}
