import { closeSync, fsyncSync, mkdirSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** 32-byte hashes in hex for which nothing is signed again: of transfers, or of the secrets of collection offers. */
export interface Revocations {
  has(hash: string): boolean
  /** Returns once they are on the disk. Throws where they cannot be written. */
  add(hashes: readonly string[]): void
}

const HASH = /^[0-9a-f]{64}$/

/**
 * Revocations in a file that is only appended to, one a line. Several processes may share it: each reads the lines of
 * the others before it answers. A line that a full disk cut off is closed by the next one and counts for nothing.
 */
export function revocationsIn(file: string): Revocations {
  const known = new Set<string>()
  let readBytes = 0

  const sizeOf = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  /** Reads what was added, whole lines only. */
  const catchUp = () => {
    const size = sizeOf()
    // A shorter file is another one, from a backup: revocations read before stay in force.
    if (size < readBytes) readBytes = 0
    if (size === readBytes) return
    const added = Buffer.alloc(size - readBytes)
    const handle = openSync(file, 'r')
    try {
      const whole =
        added.subarray(0, readSync(handle, added, 0, added.length, readBytes)).lastIndexOf('\n') + 1
      for (const line of added.toString('latin1', 0, whole).split('\n')) if (HASH.test(line)) known.add(line)
      readBytes += whole
    } finally {
      closeSync(handle)
    }
  }
  catchUp()

  return {
    has(hash) {
      catchUp()
      return known.has(hash)
    },
    add(hashes) {
      catchUp()
      const fresh = [...new Set(hashes)].filter((hash) => HASH.test(hash) && !known.has(hash))
      if (fresh.length === 0) return
      const before = sizeOf()
      mkdirSync(dirname(file), { recursive: true })
      append(file, `${before > readBytes ? '\n' : ''}${fresh.join('\n')}\n`)
      if (before === 0) syncFolder(dirname(file))
      for (const hash of fresh) known.add(hash)
    },
  }
}

/** One write, so that lines of two processes never mix. */
function append(file: string, text: string): void {
  const handle = openSync(file, 'a', 0o600)
  try {
    if (writeSync(handle, text) !== text.length) throw new Error(`${file}: the disk took only a part`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** A new file is there after a loss of power only once its folder is on the disk too. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
