import { type Mark, StandbyError } from './checkpoint.ts'
import { Log, type Reader } from './log.ts'

/** Facts that a key host must never lose, one per line. Lines are on disk before anything depends on them (log.ts). */
export interface Journal {
  /** Reads lines that any process appended. Throws JournalError if files are missing or old. */
  catchUp(): void
  /**
   * Appends the lines that `decide` returns, one call at a time, after reading all previous lines. Resolves once they are on disk and read.
   * Throws errors of `decide`, and if the lines cannot be written.
   */
  append(decide: () => readonly string[]): Promise<void>
  mark(): Mark
  /** For replication to the other host of a pair. */
  readonly log: Log
  /** Runs a task while no other task or append runs. */
  inTurn<T>(task: () => Promise<T>): Promise<T>
  /** Makes later appends pass their lines to `send` first. If it fails, the lines are not written. */
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
