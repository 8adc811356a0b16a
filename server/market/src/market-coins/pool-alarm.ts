/** A pool that is low for a moment is being filled up. */
const PATIENCE_MILLISECONDS = 30_000
const REMINDER_MILLISECONDS = 600_000

/**
 * Says that the pool cannot be filled up: after half a minute of it, every ten minutes while it lasts, and when it is
 * over. `now` is a monotonic clock in milliseconds. Give what it returns whether the pool has what it needs, again and again.
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
      if (at - lowSince < PATIENCE_MILLISECONDS || !due) return
      saidAt = at
      say.low()
    } else if (saidAt !== null) {
      saidAt = null
      say.enough()
    }
  }
}
