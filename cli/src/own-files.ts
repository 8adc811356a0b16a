import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from './failure.ts'

const folderOf = (variable: string, fallback: string) =>
  join(process.env[variable] || join(homedir(), fallback), 'ordbook')
export const configFile = () =>
  process.env.ORDBOOK_CONFIG ?? join(folderOf('XDG_CONFIG_HOME', '.config'), 'config.json')
export const stateFolder = () => folderOf('XDG_STATE_HOME', '.local/state')

/** Writes a file atomically and durably, readable only by its owner. */
export function writeOwn(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const partial = `${path}.${randomUUID()}`
  try {
    // Fails if a file or link has this name.
    writeFileSync(partial, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

/** Reads a secret file. Throws Failure if it does not exist, or if other users can read it. */
export function readSecret(path: string): string {
  const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {}
  if (mode === undefined) throw new Failure('no-key-file', `${path} does not exist`)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Failure('key-file-open', `${path} is readable by other users: run chmod 600 on it`)
  return readFileSync(path, 'utf8').trim()
}

/** Reads a JSON object from a file. Returns null if the file does not exist. Throws Failure. */
export function readObject(path: string): Record<string, unknown> | null {
  if (!statSync(path, { throwIfNoEntry: false })) return null
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    // The message can quote the file, which can contain a password.
    const reason = (error as Error).message.replace(/, (\.\.\.)?".*/s, '')
    throw new Failure('bad-file', `${path} is not JSON: ${reason}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Failure('bad-file', `${path} does not contain a JSON object`)
  return value as Record<string, unknown>
}
