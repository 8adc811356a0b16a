import type { Logger } from 'pino'

/** The longest that a process takes to close once it is asked to, in milliseconds. */
const CLOSE_MILLISECONDS = 10_000

/**
 * Ends this process at the first error that no code expected, with its reason in the log and a code that is not 0: its
 * memory may be wrong from then on, and its supervisor starts it again from the database. `log` must
 * write at once.
 */
export function endOnUnexpected(log: Logger): void {
  const end = (err: unknown, origin: string) => {
    try {
      log.fatal({ err, origin }, 'unexpected: this process ends')
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', (reason) => end(reason, 'unhandledRejection'))
}

/**
 * Closes on SIGINT and SIGTERM and ends with code 0; with 1 where closing fails or takes longer than `milliseconds`, or the
 * signal comes again.
 */
export function closeOnSignal(
  log: Logger,
  close: () => Promise<unknown>,
  milliseconds = CLOSE_MILLISECONDS,
): void {
  let isClosing = false
  const stop = (signal: NodeJS.Signals) => {
    if (isClosing) process.exit(1)
    isClosing = true
    setTimeout(() => {
      log.error({ signal }, 'shutdown timed out, exiting')
      process.exit(1)
    }, milliseconds).unref()
    close().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err, signal }, 'closing failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
