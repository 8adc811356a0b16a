import { Log, type Reader } from './log.ts'
import { type Mark, StandbyError } from './mark.ts'

/** Facts that a key host must never lose, one per line. A line is on disk before anything depends on it (log.ts). */
export interface Journal {
  /** Reads lines that any process appended. Throws JournalError if files are missing or old. */
  catchUp(): void
  /**
   * Appends the lines that `decide` returns. Reads all previous lines first, and runs one call at a time. Resolves once the new lines are
   * on disk and read. Throws errors of `decide`, and if the lines cannot be written.
   */
  append(decide: () => readonly string[]): Promise<void>
  mark(): Mark
  /** Used to replicate lines to the other host of a pair. */
  readonly log: Log
  /** Runs a task exclusively: no other task or append runs at the same time. */
  inTurn<T>(task: () => Promise<T>): Promise<T>
  /** Makes later appends pass their lines to `send` first. If `send` fails, the lines are not written. */
  sendFirst(send: (lines: readonly string[]) => Promise<void>): void
}

/** Opens a journal. Throws ConfigError if the journal does not exist. */
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
        if (log.position().head !== head) throw new StandbyError('the journal has newer lines')
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
