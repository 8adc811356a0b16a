import { Log, type Reader } from './log.ts'
import { type Mark, StandbyError } from './mark.ts'

/** The facts that a key host must never lose, one a line, each on the disk before anything rests on it (log.ts). */
export interface Journal {
  /** Reads what was appended since, by this process or another. Throws JournalError where files are missing or older. */
  catchUp(): void
  /**
   * Appends the lines that `decide` gives, which knows all lines before them; one at a time. Returns once they are on the disk and
   * read. Throws what `decide` throws, and where the lines cannot be written.
   */
  append(decide: () => readonly string[]): Promise<void>
  mark(): Mark
  /** For the other host of a pair. */
  readonly log: Log
  /** Runs a task while nothing is appended but by it. */
  inTurn<T>(task: () => Promise<T>): Promise<T>
  /** From now on `send` gets lines before they are written here, and keeps them from being written by an error. */
  sendFirst(send: (lines: readonly string[]) => Promise<void>): void
}

/** Opens a journal. Throws ConfigError where there is none. */
export function openJournal(file: string, reader: Reader, enoughBytes?: number): Journal {
  const log = new Log(file, reader, enoughBytes)
  let send: ((lines: readonly string[]) => Promise<void>) | null = null
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const turn = last.then(task)
    last = turn.catch(() => {})
    return turn
  }
  return {
    log,
    inTurn,
    catchUp: () => log.catchUp(),
    append: (decide) =>
      inTurn(async () => {
        log.catchUp()
        const added = decide()
        if (added.length === 0) return
        const { head } = log.position()
        await send?.(added)
        if (log.position().head !== head) throw new StandbyError('the journal went on meanwhile')
        log.write(added)
      }),
    mark() {
      const { journal, lines } = log.position()
      return { journal, lines }
    },
    sendFirst(to) {
      send = to
    },
  }
}
