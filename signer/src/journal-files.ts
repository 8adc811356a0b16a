import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeFile } from '@ordbook/process/make-file.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import { JournalError } from './checkpoint.ts'

/**
 * First line of a file. The first file has only the journal's name. Later files add the number of earlier lines, the bytes of the previous
 * file that the summary covers, and, with a single writer, the head of the replaced lines and the number of summary lines.
 */
const TITLE = /^ordbook journal ([0-9a-f]{64})(?: (\d{1,15}) (\d{1,15})(?: ([0-9a-f]{64}) (\d{1,15}))?)?$/

export interface FilePosition {
  n: number
  readBytes: number
}

interface Title {
  journal: string
  linesBefore: number
  readBytesBefore: number
  /** Head before the first line after the summary. */
  head: string
  summaryLines: number
}

/** Returns the path of the n-th file of a journal. */
export const nameOf = (file: string, n: number): string => (n === 0 ? file : `${file}.${n}`)

/** Returns the head after another line. Heads form a hash chain. */
export const headAfter = (head: string, line: string): string => hash('sha256', `${head}\n${line}`)

/** Parses the first line of a file. Throws ConfigError if it is not a journal title. */
export function titleOf(name: string, n: number, line = ''): Title {
  const [, journal, linesBefore, readBytesBefore, head, summaryLines] = TITLE.exec(line) ?? []
  if (!journal || (n === 0) !== (linesBefore === undefined))
    throw new ConfigError(`${name} is not an ordbook journal`)
  return {
    journal,
    linesBefore: Number(linesBefore ?? 0),
    readBytesBefore: Number(readBytesBefore),
    head: head ?? hash('sha256', line),
    summaryLines: Number(summaryLines ?? 0),
  }
}

/** Returns the complete lines after `at`, and advances `at`. Throws JournalError if the file shrank. */
export function readAdded(name: string, at: FilePosition): string[] {
  const size = statSync(name, { throwIfNoEntry: false })?.size ?? 0
  if (size < at.readBytes) throw lost(name)
  if (size === at.readBytes) return []
  const added = Buffer.alloc(size - at.readBytes)
  const handle = openSync(name, 'r')
  try {
    const whole =
      added.subarray(0, readSync(handle, added, 0, added.length, at.readBytes)).lastIndexOf('\n') + 1
    at.readBytes += whole
    return whole === 0 ? [] : added.toString('latin1', 0, whole - 1).split('\n')
  } finally {
    closeSync(handle)
  }
}

export const lost = (what: string) =>
  new JournalError(`${what} has lost lines. Restore the whole journal; until then, nothing is signed`)

/** Returns the number of the newest file, or -1 if there is none. */
export function newestOf(file: string): number {
  const prefix = `${basename(file)}.`
  const numbers = readdirSync(dirname(file)).flatMap((name) =>
    name.startsWith(prefix) && /^[1-9]\d{0,8}$/.test(name.slice(prefix.length))
      ? [Number(name.slice(prefix.length))]
      : [],
  )
  return numbers.length > 0 ? Math.max(...numbers) : existsSync(file) ? 0 : -1
}

export const hasJournal = (file: string): boolean => existsSync(dirname(file)) && newestOf(file) >= 0

/** Creates a journal if there is none. If two processes do so at the same time, the first wins. */
export function makeJournal(file: string): void {
  makeFile(file, `ordbook journal ${randomBytes(32).toString('hex')}\n`)
}

/** Appends and syncs. A single write, so that lines of two processes do not mix. Does not create the file. */
export function writeLines(file: string, text: string): void {
  const handle = openSync(file, constants.O_WRONLY | constants.O_APPEND)
  try {
    if (writeSync(handle, text) !== text.length) throw new Error(`${file}: only a part was written to disk`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes the bytes after an offset again, and syncs them. Syncing alone is not enough after a failed sync: Linux can count pages that were
 * not written as clean, and the next sync then succeeds without them (fsync(2)).
 */
export function rewriteFrom(file: string, offset: number): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= offset) return
  const handle = openSync(file, 'r+')
  try {
    const bytes = Buffer.alloc(size - offset)
    const length = readSync(handle, bytes, 0, bytes.length, offset)
    if (writeSync(handle, bytes, 0, length, offset) !== length)
      throw new Error(`${file}: only a part was written to disk`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Removes a truncated last line. Nothing depends on it, because it was never completely on disk. */
export const cutTo = (file: string, bytes: number): void => truncateSync(file, bytes)
