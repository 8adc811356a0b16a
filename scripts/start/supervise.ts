import { setTimeout as sleep } from 'node:timers/promises'

export interface Part {
  /** Resolves with the reason when it has exited. */
  ended: Promise<string>
  stop(): Promise<void>
}

export interface Supervision {
  say(text: string): void
  giveUp(problem: string): void
  stopping: AbortSignal
  /** Initial restart delay in milliseconds; shorter in tests. */
  firstPause?: number
}

/** Run time in milliseconds after which a start counts as successful. */
const STEADY = 60_000
/** Maximum number of consecutive exits before giving up. */
const MAX_FAILURES = 8
const MAX_PAUSE = 10_000

export interface Supervised {
  /** Resolves when it is running for the first time; rejects if it fails to start. */
  started: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a part and restarts it when it exits, with a growing delay while it keeps failing. The signal aborts a pending start on shutdown.
 */
export function supervise(
  name: string,
  start: (signal: AbortSignal) => Promise<Part>,
  { say, giveUp, stopping, firstPause = 500 }: Supervision,
): Supervised {
  const starting = new AbortController()
  let part: Part | null = null
  const keepRunning = async () => {
    for (let failures = 0; ; ) {
      const began = performance.now()
      const reason = part ? await part.ended : 'failed to start'
      part = null
      if (stopping.aborted) return
      failures = performance.now() - began > STEADY ? 1 : failures + 1
      if (failures > MAX_FAILURES)
        return giveUp(`${name} exited ${failures} times in a row (${reason}), giving up`)
      const pause = Math.min(firstPause * 2 ** (failures - 1), MAX_PAUSE)
      say(`${name} exited (${reason}), restarting in ${pause / 1000} s`)
      await sleep(pause, undefined, { signal: stopping }).catch(() => {})
      if (stopping.aborted) return
      try {
        part = await start(starting.signal)
        say(`${name} recovered`)
      } catch (error) {
        if (!stopping.aborted)
          say(`${name} failed to start: ${error instanceof Error ? error.message : error}`)
      }
      // The stop may have been requested during the start.
      if (stopping.aborted) await part?.stop()
    }
  }
  const started = start(starting.signal).then((first) => {
    part = first
  })
  const supervised = started.then(keepRunning, () => {})
  return {
    started,
    async stop() {
      if (!part) starting.abort()
      await started.catch(() => {})
      await part?.stop()
      await supervised
    },
  }
}
