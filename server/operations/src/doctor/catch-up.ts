import { setTimeout as sleep } from 'node:timers/promises'

/** A replica that needs longer for changes made before the check is behind. */
export const CATCH_UP_SECONDS = 3
const PAUSE_MS = 100

/** Returns whether a replica replays up to a WAL position in time. `replayed` returns null if its position is unknown. */
export async function hasCaughtUp(
  position: number,
  replayed: () => Promise<number | null>,
): Promise<boolean> {
  const until = performance.now() + CATCH_UP_SECONDS * 1000
  for (;;) {
    if (((await replayed()) ?? Infinity) >= position) return true
    if (performance.now() > until) return false
    await sleep(PAUSE_MS)
  }
}
