import type { Logger } from 'pino'

/** Shutdown timeout in milliseconds. */
const CLOSE_MILLISECONDS = 10_000

/**
 * Exits with code 1 after logging an unhandled error: the memory of the process may be inconsistent, and its supervisor restarts it from
 * the database. `log` must write synchronously.
 */
export function endOnUnexpected(log: Logger): void {
  const end = (err: unknown, origin: string) => {
    try {
      log.fatal({ err, origin }, 'unexpected error, exiting')
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', end)
  process.on('unhandledRejection', (reason) => end(reason, 'unhandledRejection'))
}

/**
 * Closes on SIGINT and SIGTERM and exits with code 0. Exits with 1 if closing fails, takes longer than `milliseconds`, or a second signal
 * arrives.
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
        log.error({ err, signal }, 'shutdown failed, exiting')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
