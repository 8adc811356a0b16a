import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { makeFile } from './make-file.ts'
import { JournalError, type Mark } from './mark.ts'
import { ConfigError } from './variables.ts'

/**
 * The facts that a key host must never lose, one a line, each on the disk before anything rests on it. Lines are only appended.
 * Several processes of one host may share a journal: each reads the lines of the others before it decides. A line that a full
 * disk cut off is closed by the next one and counts for nothing.
 *
 * A journal that has grown goes on in a further file (`.1`, `.2`, ...), which begins with a summary of all before it. The title of
 * that file says how many lines the summary stands for, and how many bytes of the file before it the summary covers. A file appears
 * whole or not at all, and nothing else changes, so a crash at any point loses nothing. The file before the newest one stays:
 * another process may have appended to it at the same moment. Older ones go.
 */
export interface Journal {
  /** Reads what was appended since, by this process or another. Throws JournalError where files are missing or older. */
  catchUp(): void
  /** Returns once the lines are on the disk and read. Throws where they cannot be written. */
  append(lines: readonly string[]): void
  mark(): Mark
}

/** The owner of the facts. */
export interface Reader {
  /** Gets each whole line; may get one again. */
  read(line: string): void
  /** All that was read so far, in as few lines; none where every line counts. */
  summary?(): string[]
}

/** Name of the journal; in a further file, the lines before its summary and the bytes of the file before that it covers. */
const TITLE = /^ordbook journal ([0-9a-f]{64})(?: (\d{1,15}) (\d{1,15}))?$/
/** A file that is smaller, or not twice its own summary, goes on. */
const ENOUGH_BYTES = 1 << 20

/** A file of the journal by its number, and the bytes that were read of it. */
interface Position {
  n: number
  readBytes: number
}

/** Opens a journal. Throws ConfigError where there is none. */
export function openJournal(file: string, { read, summary }: Reader, enoughBytes = ENOUGH_BYTES): Journal {
  const nameOf = (n: number) => (n === 0 ? file : `${file}.${n}`)
  let journal = ''
  let lines = 0
  /** The newest file, and the one before it where there is one, with the bytes that were read of each. */
  let newest: Position = { n: -1, readBytes: 0 }
  let before: Position | null = null
  let summaryBytes = 0

  const take = (added: readonly string[]) => {
    for (const line of added) read(line)
    lines += added.length
  }

  /** Goes over to a newer file. */
  const goTo = (n: number) => {
    const at = { n, readBytes: 0 }
    const added = readAdded(nameOf(n), at)
    const title = titleOf(nameOf(n), n, added.shift())
    if (journal && title.journal !== journal) throw new JournalError(`${nameOf(n)} is of another journal`)
    journal = title.journal
    newest = at
    before = n === 0 ? null : { n: n - 1, readBytes: title.readBytesBefore }
    summaryBytes = at.readBytes
    const linesBefore = lines
    lines = title.linesBefore
    take(added)
    if (before) take(readAdded(nameOf(before.n), before))
    if (lines < linesBefore) throw lost(nameOf(n))
  }

  const catchUp = () => {
    for (;;) {
      const n = newestOf(file)
      try {
        if (n > newest.n) goTo(n)
        if (before) take(readAdded(nameOf(before.n), before))
        return take(readAdded(nameOf(newest.n), newest))
      } catch (error) {
        // Another process has gone on meanwhile, and removed what it covers.
        if (newestOf(file) <= n) throw error
      }
    }
  }

  /** Goes on in a further file where this one has grown. */
  const compact = () => {
    if (!summary || newest.readBytes < Math.max(enoughBytes, 2 * summaryBytes)) return
    const facts = summary()
    // A title cannot count below zero.
    if (facts.length > lines) return
    const title = `ordbook journal ${journal} ${lines - facts.length} ${newest.readBytes}`
    const { n } = newest
    makeFile(nameOf(n + 1), `${[title, ...facts].join('\n')}\n`)
    catchUp()
    for (let old = n - 1; old >= 0 && existsSync(nameOf(old)); old--) rmSync(nameOf(old), { force: true })
  }

  if (newestOf(file) < 0) throw new ConfigError(`found no ${file}`)
  catchUp()

  return {
    catchUp,
    append(added) {
      catchUp()
      if (added.length === 0) return
      // The summary of a file that appeared meanwhile may lack these lines: they go into that file, too.
      let wroteTo: number
      do {
        wroteTo = newest.n
        const name = nameOf(wroteTo)
        const size = statSync(name, { throwIfNoEntry: false })?.size ?? 0
        write(name, `${size > newest.readBytes ? '\n' : ''}${added.join('\n')}\n`)
        catchUp()
      } while (newest.n !== wroteTo)
      compact()
    },
    mark: () => ({ journal, lines }),
  }
}

const lost = (what: string) =>
  new JournalError(`${what} has lost lines: put back the whole journal; nothing is signed until then`)

/** Reads the first line of a file. Throws ConfigError where it is no title of ours. */
function titleOf(name: string, n: number, line = '') {
  const [, journal, linesBefore, readBytesBefore] = TITLE.exec(line) ?? []
  if (!journal || (n === 0) !== (linesBefore === undefined))
    throw new ConfigError(`${name} is no journal of ordbook`)
  return { journal, linesBefore: Number(linesBefore ?? 0), readBytesBefore: Number(readBytesBefore) }
}

/** Reads the whole lines that a file has gained; gives them, and moves its position. */
function readAdded(name: string, at: Position): string[] {
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

/** The number of the newest file of a journal; -1 where there is none. */
function newestOf(file: string): number {
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
function write(file: string, text: string): void {
  const handle = openSync(file, constants.O_WRONLY | constants.O_APPEND)
  try {
    if (writeSync(handle, text) !== text.length) throw new Error(`${file}: the disk took only a part`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
