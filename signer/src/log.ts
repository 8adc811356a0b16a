import { accessSync, constants, existsSync, rmSync, statSync } from 'node:fs'
import { makeFile } from '@ordbook/process/make-file.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import { JournalError } from './checkpoint.ts'
import {
  cutTo,
  type FilePosition,
  headAfter,
  lost,
  nameOf,
  newestOf,
  readAdded,
  rewriteFrom,
  titleOf,
  writeLines,
} from './journal-files.ts'
import { lineOf, NO_PAIR_STATE, type PairState, pairStateIn } from './pair-state.ts'

export interface Reader {
  /** Called for each complete line, possibly more than once. */
  read(line: string): void
  /** Returns the fewest lines that restore the current state. Omit it to keep every line. */
  summary?(): string[]
}

/** Position in a journal: its name, number of lines, and the head of their hash chain. */
export interface Position {
  journal: string
  lines: number
  head: string
}

/** Minimum file size for compaction. */
const ENOUGH_BYTES = 1 << 20

/**
 * The append-only lines of a journal. Several processes of a host can write: each reads the others' lines before it decides. If a full disk
 * truncates a line, the next write terminates it, and readers ignore it.
 *
 * Compaction continues a large journal in a new file (`.1`, `.2`, ...) that begins with a summary of all earlier lines. Its title has the
 * number of summarized lines, and the bytes of the previous file that it covers. The file appears atomically, so a crash loses nothing. The
 * previous file is kept, because another process may have appended to it in the meantime. Older files are deleted.
 */
export class Log {
  private readonly file: string
  private readonly reader: Reader
  private readonly enoughBytes: number
  private journal = ''
  private lines = 0
  private head = ''
  private lastStanding = NO_PAIR_STATE
  /** The newest and the previous file, with the number of bytes read. */
  private newest: FilePosition = { n: -1, readBytes: 0 }
  private before: FilePosition | null = null
  private summaryBytes = 0
  private isShared = true
  private writeFault: string | null = null
  /** Start of the bytes that a failed write may have left unsynced. */
  private unsynced: FilePosition | null = null

  /** Throws ConfigError if the journal does not exist. */
  constructor(file: string, reader: Reader, enoughBytes = ENOUGH_BYTES) {
    this.file = file
    this.reader = reader
    this.enoughBytes = enoughBytes
    if (newestOf(file) < 0) throw new ConfigError(`cannot find ${file}`)
    this.catchUp()
  }

  /** Returns the position after the last line. Heads are comparable only with a single writer. */
  position(): Position {
    return { journal: this.journal, lines: this.lines, head: this.head }
  }

  standing(): PairState {
    return this.lastStanding
  }

  /** Declares this process the only writer. Truncated lines are then removed, so that both hosts have the same lines. */
  writeAlone(): void {
    this.isShared = false
  }

  /**
   * Reads lines that any process appended. Throws JournalError if files are missing or old, and the system's error if lines of a failed
   * write cannot be synced.
   */
  catchUp(): void {
    if (this.unsynced) rewriteFrom(this.nameOf(this.unsynced.n), this.unsynced.readBytes)
    this.unsynced = null
    for (;;) {
      const n = newestOf(this.file)
      try {
        if (n > this.newest.n) this.goTo(n)
        if (this.before) this.take(readAdded(this.nameOf(this.before.n), this.before))
        this.take(readAdded(this.nameOf(this.newest.n), this.newest))
        return
      } catch (error) {
        // Another process compacted the journal during the read: retry.
        if (newestOf(this.file) <= n) throw error
      }
    }
  }

  /** Writes lines, and returns once they are on disk and read. Throws if they cannot be written. */
  write(added: readonly string[]): void {
    // If another process compacts during the write, its summary may lack these lines: write them to the new file, too.
    let fileNumber: number
    do {
      fileNumber = this.newest.n
      const name = this.nameOf(fileNumber)
      const size = statSync(name, { throwIfNoEntry: false })?.size ?? 0
      const isCut = size > this.newest.readBytes
      try {
        if (isCut && !this.isShared) cutTo(name, this.newest.readBytes)
        writeLines(name, `${isCut && this.isShared ? '\n' : ''}${added.join('\n')}\n`)
        this.writeFault = null
      } catch (error) {
        this.writeFault = messageOf(error)
        this.unsynced ??= { ...this.newest }
        throw error
      }
      this.catchUp()
    } while (this.newest.n !== fileNumber)
    this.compact()
  }

  /** Returns why lines cannot be written, or null. Does not write. */
  fault(): string | null {
    const name = this.nameOf(this.newest.n)
    try {
      accessSync(name, constants.W_OK)
      if (statSync(name).size < this.newest.readBytes) return `${name} has shrunk`
    } catch (error) {
      // If another process compacted the journal, the deleted file is not a fault.
      if (newestOf(this.file) <= this.newest.n) return messageOf(error)
    }
    return this.writeFault && `the last write failed: ${this.writeFault}`
  }

  /** Returns the lines after a position, or null if they were compacted. Throws JournalError if the journals have forked. */
  since({ journal, lines, head }: Position): string[] | null {
    const fork = () => new JournalError('the journals of the two hosts have diverged')
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
    const standing = pairStateIn(line)
    if (standing) this.lastStanding = standing
    else this.reader.read(line)
  }

  /** Switches to a newer file. Throws JournalError if it is from another journal or has fewer lines. */
  private goTo(n: number): void {
    const at = { n, readBytes: 0 }
    const added = readAdded(this.nameOf(n), at)
    const title = titleOf(this.nameOf(n), n, added.shift())
    if (this.journal && title.journal !== this.journal)
      throw new JournalError(`${this.nameOf(n)} belongs to another journal`)
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

  /** Compacts if the newest file is at least `enoughBytes`, and twice as large as its summary. */
  private compact(): void {
    const { file, reader, newest, journal, head, lastStanding } = this
    if (!reader.summary || newest.readBytes < Math.max(this.enoughBytes, 2 * this.summaryBytes)) return
    const facts = [...(lastStanding.term > 0 ? [lineOf(lastStanding)] : []), ...reader.summary()]
    // The title would have a negative number of lines.
    if (facts.length > this.lines) return
    const linesBefore = this.lines - facts.length
    // Processes that share a journal read its lines in different orders, so their heads differ.
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
