import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a file that only its owner can read, synced to disk. It appears complete or not at all. If two processes create it at the same
 * time, the first wins and the other's text is discarded.
 */
export function makeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}.new`
  writeFileSync(temporary, text, { mode: 0o600, flush: true })
  try {
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(temporary)
  }
  syncFolder(dirname(file))
}

/** Syncs a folder. Otherwise a new file in it can be lost in a power failure. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
