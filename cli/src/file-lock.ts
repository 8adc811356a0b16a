import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const MAX_WAIT_MILLISECONDS = 20
/** Locks are held for milliseconds. A lock that is older, or newer than the clock, remains of a process that ended. */
const STALE_MILLISECONDS = 10_000

/** Runs `change` while no other process runs one with the same path. The lock is a file next to `path`. */
export async function withLock<T>(path: string, change: () => T): Promise<T> {
  const lock = `${path}.lock`
  const token = randomUUID()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  while (!acquire(lock, token)) {
    removeStale(lock)
    await sleep(Math.random() * MAX_WAIT_MILLISECONDS)
  }
  try {
    return change()
  } finally {
    if (unless('ENOENT', () => readFileSync(lock, 'utf8')) === token) rmSync(lock)
  }
}

const acquire = (lock: string, token: string): boolean =>
  unless('EEXIST', () => {
    writeFileSync(lock, token, { flag: 'wx', mode: 0o600 })
    return true
  }) ?? false

const isStale = (file: string): boolean => {
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return mtimeMs !== undefined && Math.abs(Date.now() - mtimeMs) > STALE_MILLISECONDS
}

/** Moves a stale lock away before its removal, because another process may have replaced it since it was examined. */
function removeStale(lock: string): void {
  if (!isStale(lock)) return
  const moved = `${lock}.${randomUUID()}`
  unless('ENOENT', () => {
    renameSync(lock, moved)
    if (!isStale(moved)) unless('EEXIST', () => linkSync(moved, lock))
    rmSync(moved)
  })
}

/** Returns undefined if `run` fails with this code. */
function unless<T>(code: string, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined
    throw error
  }
}
