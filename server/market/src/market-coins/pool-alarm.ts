/** Ignore brief dips: a refill is in progress. */
const TIMEOUT_MS = 30_000
const REMINDER_MILLISECONDS = 600_000

/**
 * Returns a function to call repeatedly with the pool's state. Calls `low` after 30 seconds and then every 10 minutes, and finally
 * `enough`. `now` is a monotonic clock in milliseconds.
 */
export function poolAlarm(
  now: () => number,
  log: { low: () => void; enough: () => void },
): (ok: boolean) => void {
  let lowSince: number | null = null
  let loggedAt: number | null = null
  return (ok) => {
    const at = now()
    lowSince = ok ? null : (lowSince ?? at)
    if (lowSince !== null) {
      const isDue = loggedAt === null || at - loggedAt >= REMINDER_MILLISECONDS
      if (at - lowSince < TIMEOUT_MS || !isDue) return
      loggedAt = at
      log.low()
    } else if (loggedAt !== null) {
      loggedAt = null
      log.enough()
    }
  }
}
