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
import { JournalError } from './mark.ts'

/**
 * The first line of a file. The first file has only the journal's name. Later files also have the number of lines before their summary, the
 * bytes of the previous file that the summary covers, the head of all lines that it replaces, and its number of lines. The last two are
 * missing if several processes write.
 */
const TITLE = /^ordbook journal ([0-9a-f]{64})(?: (\d{1,15}) (\d{1,15})(?: ([0-9a-f]{64}) (\d{1,15}))?)?$/

/** Number of a file of the journal, and how many of its bytes were read. */
export interface FilePosition {
  n: number
  readBytes: number
}

/** The parsed first line of a file. */
interface Title {
  journal: string
  linesBefore: number
  readBytesBefore: number
  /** Head before the first line after the summary. */
  head: string
  summaryLines: number
}

/** The path of the n-th file of a journal. */
export const nameOf = (file: string, n: number): string => (n === 0 ? file : `${file}.${n}`)

/** The head after another line. A hash chain: one different line changes all later heads. */
export const headAfter = (head: string, line: string): string => hash('sha256', `${head}\n${line}`)

/** Parses the first line of a file. Throws ConfigError if it is not a journal title. */
export function titleOf(name: string, n: number, line = ''): Title {
  const [, journal, linesBefore, readBytesBefore, head, summaryLines] = TITLE.exec(line) ?? []
  if (!journal || (n === 0) !== (linesBefore === undefined))
    throw new ConfigError(`${name} is not a journal of ordbook`)
  return {
    journal,
    linesBefore: Number(linesBefore ?? 0),
    readBytesBefore: Number(readBytesBefore),
    head: head ?? hash('sha256', line),
    summaryLines: Number(summaryLines ?? 0),
  }
}

/** Returns the complete lines appended since `at`, and advances `at`. Throws JournalError if the file shrank. */
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
  new JournalError(`${what} has lost lines: put back the whole journal; nothing is signed until then`)

/** The number of the newest file of a journal; -1 if there is none. */
export function newestOf(file: string): number {
  const prefix = `${basename(file)}.`
  const found = readdirSync(dirname(file)).flatMap((name) =>
    name.startsWith(prefix) && /^[1-9]\d{0,8}$/.test(name.slice(prefix.length))
      ? [Number(name.slice(prefix.length))]
      : [],
  )
  return found.length > 0 ? Math.max(...found) : existsSync(file) ? 0 : -1
}

/** Whether a journal exists, in one file or several. */
export const hasJournal = (file: string): boolean => existsSync(dirname(file)) && newestOf(file) >= 0

/** Creates a journal if there is none. If two processes start at the same time, only one of them creates it. */
export function makeJournal(file: string): void {
  makeFile(file, `ordbook journal ${randomBytes(32).toString('hex')}\n`)
}

/** Appends in one write, so that lines of two processes never mix, and syncs. Does not create the file. */
export function writeLines(file: string, text: string): void {
  const handle = openSync(file, constants.O_WRONLY | constants.O_APPEND)
  try {
    if (writeSync(handle, text) !== text.length) throw new Error(`${file}: the disk took only a part`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Removes a truncated last line. It was never completely on disk, so nothing depends on it. */
export const cutTo = (file: string, bytes: number): void => truncateSync(file, bytes)
