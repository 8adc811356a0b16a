import type { Logger } from 'pino'

const CLOSE_MILLISECONDS = 10_000

/**
 * Logs unhandled errors and exits with code 1: memory may be inconsistent, so the supervisor restarts the process. `log` must write
 * synchronously.
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

/** Closes on SIGINT and SIGTERM, and exits with 0. Exits with 1 if closing fails or times out, or on a second signal. */
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
