/** A pool that is low for a moment is being filled up. */
const PATIENCE_MILLISECONDS = 30_000
const REMINDER_MILLISECONDS = 600_000

/**
 * Says that the pool cannot be filled up: after half a minute of it, every ten minutes while it lasts, and when it is
 * over. Give what it returns whether the pool has what it needs, again and again.
 */
export function poolAlarm(
  clock: () => Date,
  say: { low: () => void; enough: () => void },
): (ok: boolean) => void {
  let lowSince: number | null = null
  let saidAt: number | null = null
  return (ok) => {
    const now = clock().getTime()
    lowSince = ok ? null : (lowSince ?? now)
    if (lowSince !== null) {
      const due = saidAt === null || now - saidAt >= REMINDER_MILLISECONDS
      if (now - lowSince < PATIENCE_MILLISECONDS || !due) return
      saidAt = now
      say.low()
    } else if (saidAt !== null) {
      saidAt = null
      say.enough()
    }
  }
}
