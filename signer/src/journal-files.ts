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
 * The name of the journal; in a further file, the lines before its summary, the bytes of the file before that it covers, the head
 * of all that it stands for, and the lines of the summary. The last two are missing where several processes write.
 */
const TITLE = /^ordbook journal ([0-9a-f]{64})(?: (\d{1,15}) (\d{1,15})(?: ([0-9a-f]{64}) (\d{1,15}))?)?$/

/** A file of the journal by its number, and the bytes that were read of it. */
export interface FilePosition {
  n: number
  readBytes: number
}

/** The first line of a file, as it is read. */
interface Title {
  journal: string
  linesBefore: number
  readBytesBefore: number
  /** The head before the first line after the summary. */
  head: string
  summaryLines: number
}

/** The name of a file of a journal. */
export const nameOf = (file: string, n: number): string => (n === 0 ? file : `${file}.${n}`)

/** The head once a line has followed: one line that differs makes all later heads differ. */
export const headAfter = (head: string, line: string): string => hash('sha256', `${head}\n${line}`)

/** Reads the first line of a file. Throws ConfigError where it is no title of ours. */
export function titleOf(name: string, n: number, line = ''): Title {
  const [, journal, linesBefore, readBytesBefore, head, summaryLines] = TITLE.exec(line) ?? []
  if (!journal || (n === 0) !== (linesBefore === undefined))
    throw new ConfigError(`${name} is no journal of ordbook`)
  return {
    journal,
    linesBefore: Number(linesBefore ?? 0),
    readBytesBefore: Number(readBytesBefore),
    head: head ?? hash('sha256', line),
    summaryLines: Number(summaryLines ?? 0),
  }
}

/** Reads the whole lines that a file has gained; gives them, and moves its position. */
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

/** The number of the newest file of a journal; -1 where there is none. */
export function newestOf(file: string): number {
  const prefix = `${basename(file)}.`
  const found = readdirSync(dirname(file)).flatMap((name) =>
    name.startsWith(prefix) && /^[1-9]\d{0,8}$/.test(name.slice(prefix.length))
      ? [Number(name.slice(prefix.length))]
      : [],
  )
  return found.length > 0 ? Math.max(...found) : existsSync(file) ? 0 : -1
}

/** Whether there is a journal, of one file or several. */
export const hasJournal = (file: string): boolean => existsSync(dirname(file)) && newestOf(file) >= 0

/** Makes a journal where there is none; of two processes at a first start one makes it. */
export function makeJournal(file: string): void {
  makeFile(file, `ordbook journal ${randomBytes(32).toString('hex')}\n`)
}

/** One write, so that lines of two processes never mix. It makes no file. */
export function writeLines(file: string, text: string): void {
  const handle = openSync(file, constants.O_WRONLY | constants.O_APPEND)
  try {
    if (writeSync(handle, text) !== text.length) throw new Error(`${file}: the disk took only a part`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Takes away a line that was cut off: it was never whole on the disk, and nothing rests on it. */
export const cutTo = (file: string, bytes: number): void => truncateSync(file, bytes)
