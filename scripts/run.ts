import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/**
 * Runs a program in the root of the repository, in the foreground, and returns its exit code. As under npm, programs of installed packages
 * come first.
 */
export function run(command: readonly string[], env: NodeJS.ProcessEnv = {}): number {
  const [program, ...args] = command
  const path = [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const { status, error } = spawnSync(program!, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: path, ...env },
  })
  if (error) throw error
  return status ?? 1
}
