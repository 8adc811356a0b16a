import { Log, type Reader } from './log.ts'
import { type Mark, StandbyError } from './mark.ts'

/** Facts that a key host must never lose, one per line. Each line is on disk before anything depends on it (log.ts). */
export interface Journal {
  /** Reads lines appended by this process or another. Throws JournalError if files are missing or older. */
  catchUp(): void
  /**
   * Appends the lines that `decide` returns, after reading all previous lines. Calls run one at a time. Resolves once the lines are on
   * disk and read. Rethrows errors of `decide`, and throws if the lines cannot be written.
   */
  append(decide: () => readonly string[]): Promise<void>
  mark(): Mark
  /** For replication to the other host of a pair. */
  readonly log: Log
  /** Runs a task while no other task or append runs. */
  inTurn<T>(task: () => Promise<T>): Promise<T>
  /** From now on, passes lines to `send` before writing them here. If `send` fails, they are not written. */
  sendFirst(send: (lines: readonly string[]) => Promise<void>): void
}

/** Opens a journal. Throws ConfigError if there is none. */
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
