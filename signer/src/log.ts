import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { makeFile } from '@ordbook/process/make-file.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import {
  cutTo,
  type FilePosition,
  headAfter,
  lost,
  nameOf,
  newestOf,
  readAdded,
  titleOf,
  writeLines,
} from './journal-files.ts'
import { JournalError } from './mark.ts'
import { lineOf, NO_STANDING, type Standing, standingIn } from './pair-state.ts'

/** The owner of the facts. */
export interface Reader {
  /** Gets each whole line; may get one again. */
  read(line: string): void
  /** All that was read so far, in as few lines; none where every line counts. */
  summary?(): string[]
}

/** A place in a journal: its name, the lines until there, and a hash over each of them in order. */
export interface Position {
  journal: string
  lines: number
  head: string
}

/** A file that is smaller, or not twice its own summary, goes on. */
const ENOUGH_BYTES = 1 << 20

/**
 * The lines of a journal on the disk. They are only appended. Several processes of one host may write: each reads the lines of the
 * others before it decides. A line that a full disk cut off is closed by the next one and counts for nothing.
 *
 * A journal that has grown goes on in a further file (`.1`, `.2`, ...), which begins with a summary of all before it. The title of
 * that file says how many lines the summary stands for, and how many bytes of the file before it the summary covers. A file appears
 * whole or not at all, and nothing else changes, so a crash at any point loses nothing. The file before the newest one stays:
 * another process may have appended to it at the same moment. Older ones go.
 */
export class Log {
  private readonly file: string
  private readonly reader: Reader
  private readonly enoughBytes: number
  private journal = ''
  private lines = 0
  private head = ''
  private lastStanding = NO_STANDING
  /** The newest file, and the one before it where there is one, with the bytes that were read of each. */
  private newest: FilePosition = { n: -1, readBytes: 0 }
  private before: FilePosition | null = null
  private summaryBytes = 0
  private isShared = true
  private writeFault: string | null = null

  /** Throws ConfigError where there is none. */
  constructor(file: string, reader: Reader, enoughBytes = ENOUGH_BYTES) {
    this.file = file
    this.reader = reader
    this.enoughBytes = enoughBytes
    if (newestOf(file) < 0) throw new ConfigError(`found no ${file}`)
    this.catchUp()
  }

  /** The place of the last line. Its head is the same in every process where one alone writes. */
  position(): Position {
    return { journal: this.journal, lines: this.lines, head: this.head }
  }

  standing(): Standing {
    return this.lastStanding
  }

  /** From now on this process alone writes: a line that was cut off is taken away, so that two hosts have the same lines. */
  writeAlone(): void {
    this.isShared = false
  }

  /** Reads what was appended since, by this process or another. Throws JournalError where files are missing or older. */
  catchUp(): void {
    for (;;) {
      const n = newestOf(this.file)
      try {
        if (n > this.newest.n) this.goTo(n)
        if (this.before) this.take(readAdded(this.nameOf(this.before.n), this.before))
        this.take(readAdded(this.nameOf(this.newest.n), this.newest))
        return
      } catch (error) {
        // Another process has gone on meanwhile, and removed what it covers.
        if (newestOf(this.file) <= n) throw error
      }
    }
  }

  /** Returns once the lines are on the disk and read. Throws where they cannot be written. */
  write(added: readonly string[]): void {
    // The summary of a file that appeared meanwhile may lack these lines: they go into that file, too.
    let wroteTo: number
    do {
      wroteTo = this.newest.n
      const name = this.nameOf(wroteTo)
      const size = statSync(name, { throwIfNoEntry: false })?.size ?? 0
      const isCut = size > this.newest.readBytes
      try {
        if (isCut && !this.isShared) cutTo(name, this.newest.readBytes)
        writeLines(name, `${isCut && this.isShared ? '\n' : ''}${added.join('\n')}\n`)
        this.writeFault = null
      } catch (error) {
        this.writeFault = messageOf(error)
        throw error
      }
      this.catchUp()
    } while (this.newest.n !== wroteTo)
    this.compact()
  }

  /** Why lines cannot be written, as far as that shows without writing one; null where nothing keeps them from it. */
  fault(): string | null {
    const name = this.nameOf(this.newest.n)
    try {
      accessSync(name, constants.W_OK)
      if (statSync(name).size < this.newest.readBytes) return `${name} has become shorter`
    } catch (error) {
      // Another process may have gone on in further files.
      if (newestOf(this.file) <= this.newest.n) return messageOf(error)
    }
    return this.writeFault && `the last line could not be written: ${this.writeFault}`
  }

  /**
   * The lines after a place of this journal; null where its files no longer tell. Throws JournalError where the journal that has
   * this place is no part of this one.
   */
  since({ journal, lines, head }: Position): string[] | null {
    const fork = () =>
      new JournalError('the journals of the two hosts say different things: neither goes on from the other')
    if (journal !== this.journal || lines > this.lines) throw fork()
    let at: { lines: number; head: string } | null = null
    let after: string[] | null = null
    for (const file of [this.before, this.newest]) {
      if (!file) continue
      const [first, ...all] = readAdded(this.nameOf(file.n), { n: file.n, readBytes: 0 })
      const title = titleOf(this.nameOf(file.n), file.n, first)
      at ??= { lines: title.linesBefore + title.summaryLines, head: title.head }
      if (lines < at.lines) return null
      for (const line of [...all.slice(title.summaryLines), null]) {
        if (at.lines === lines && at.head !== head) throw fork()
        if (at.lines === lines) after ??= []
        if (line === null) break
        after?.push(line)
        at = { lines: at.lines + 1, head: headAfter(at.head, line) }
      }
    }
    return after
  }

  private readonly nameOf = (n: number) => nameOf(this.file, n)

  private take(added: readonly string[]): void {
    for (const line of added) {
      this.readFact(line)
      this.head = headAfter(this.head, line)
    }
    this.lines += added.length
  }

  private readFact(line: string): void {
    const standing = standingIn(line)
    if (standing) this.lastStanding = standing
    else this.reader.read(line)
  }

  /** Goes over to a newer file. */
  private goTo(n: number): void {
    const at = { n, readBytes: 0 }
    const added = readAdded(this.nameOf(n), at)
    const title = titleOf(this.nameOf(n), n, added.shift())
    if (this.journal && title.journal !== this.journal)
      throw new JournalError(`${this.nameOf(n)} is of another journal`)
    const linesBefore = this.lines
    const facts = added.splice(0, title.summaryLines)
    this.journal = title.journal
    this.newest = at
    this.before = n === 0 ? null : { n: n - 1, readBytes: title.readBytesBefore }
    this.summaryBytes = at.readBytes
    this.lines = title.linesBefore + facts.length
    this.head = title.head
    for (const fact of facts) this.readFact(fact)
    if (this.before) this.take(readAdded(this.nameOf(this.before.n), this.before))
    this.take(added)
    if (this.lines < linesBefore) throw lost(this.nameOf(n))
  }

  /** Goes on in a further file where this one has grown. */
  private compact(): void {
    const { file, reader, newest, journal, head, lastStanding } = this
    if (!reader.summary || newest.readBytes < Math.max(this.enoughBytes, 2 * this.summaryBytes)) return
    const facts = [...(lastStanding.term > 0 ? [lineOf(lastStanding)] : []), ...reader.summary()]
    // A title cannot count below zero.
    if (facts.length > this.lines) return
    const linesBefore = this.lines - facts.length
    // Each of several processes reads their lines in an order of its own: no head stands for all of them.
    const ofPair = this.isShared ? '' : ` ${head} ${facts.length}`
    const title = `ordbook journal ${journal} ${linesBefore} ${newest.readBytes}${ofPair}`
    const { n } = newest
    makeFile(this.nameOf(n + 1), `${[title, ...facts].join('\n')}\n`)
    this.catchUp()
    for (let old = n - 1; old >= 0 && existsSync(nameOf(file, old)); old--)
      rmSync(this.nameOf(old), { force: true })
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
