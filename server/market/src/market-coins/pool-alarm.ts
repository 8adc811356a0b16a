/** A pool that is low for a moment is being filled up. */
const TIMEOUT_MS = 30_000
const REMINDER_MILLISECONDS = 600_000

/**
 * Returns a function to call repeatedly with whether the pool is full enough. Logs after half a minute of shortage, every ten minutes while
 * it lasts, and when it ends. `now` is a monotonic clock in milliseconds.
 */
export function poolAlarm(
  now: () => number,
  say: { low: () => void; enough: () => void },
): (ok: boolean) => void {
  let lowSince: number | null = null
  let saidAt: number | null = null
  return (ok) => {
    const at = now()
    lowSince = ok ? null : (lowSince ?? at)
    if (lowSince !== null) {
      const due = saidAt === null || at - saidAt >= REMINDER_MILLISECONDS
      if (at - lowSince < TIMEOUT_MS || !due) return
      saidAt = at
      say.low()
    } else if (saidAt !== null) {
      saidAt = null
      say.enough()
    }
  }
}
