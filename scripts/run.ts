import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')

/** Runs a program in the root of the repository and returns its exit code. Like npm, looks for programs of installed packages first. */
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
