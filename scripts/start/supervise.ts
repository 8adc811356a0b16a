import { setTimeout as sleep } from 'node:timers/promises'

/** A part of the market while it runs. */
export interface Part {
  /** Resolves once it has ended, with how. */
  ended: Promise<string>
  stop(): Promise<void>
}

export interface Supervision {
  /** Tells the operator. */
  say(text: string): void
  /** Ends everything: a part cannot be kept running. */
  giveUp(problem: string): void
  /** Aborted once everything stops. */
  stopping: AbortSignal
  /** Pauses between tries, in milliseconds; a test makes them short. */
  firstPause?: number
}

/** A part that has run for this long, in milliseconds, has not failed at its start. */
const STEADY = 60_000
/** So many ends in a row are too many: waiting mends nothing. */
const MAX_FAILURES = 8
const MAX_PAUSE = 10_000

/** A part that is kept running. */
export interface Supervised {
  /** Resolves once it runs for the first time; rejects if it does not start. */
  started: Promise<void>
  /** Stops it, also while it starts. */
  stop(): Promise<void>
}

/**
 * Starts a part and keeps it running: restarts it when it ends, after a pause that grows while it keeps ending soon. The signal aborts a
 * start that is no longer needed.
 */
export function supervise(
  name: string,
  start: (signal: AbortSignal) => Promise<Part>,
  { say, giveUp, stopping, firstPause = 500 }: Supervision,
): Supervised {
  const starting = new AbortController()
  let part: Part | null = null
  const keep = async () => {
    for (let failures = 0; ; ) {
      const began = performance.now()
      const how = part ? await part.ended : 'could not be started'
      part = null
      if (stopping.aborted) return
      failures = performance.now() - began > STEADY ? 1 : failures + 1
      if (failures > MAX_FAILURES)
        return giveUp(`${name} ended ${failures} times in a row (${how}): giving up`)
      const pause = Math.min(firstPause * 2 ** (failures - 1), MAX_PAUSE)
      say(`${name} ended (${how}): starting it again in ${pause / 1000} s`)
      await sleep(pause, undefined, { signal: stopping }).catch(() => {})
      if (stopping.aborted) return
      try {
        part = await start(starting.signal)
        say(`${name} runs again`)
      } catch (error) {
        if (!stopping.aborted)
          say(`${name} does not start: ${error instanceof Error ? error.message : error}`)
      }
      // The stop may have come while it started.
      if (stopping.aborted) await part?.stop()
    }
  }
  const started = start(starting.signal).then((first) => {
    part = first
  })
  const kept = started.then(keep, () => {})
  return {
    started,
    async stop() {
      if (!part) starting.abort()
      await started.catch(() => {})
      await part?.stop()
      await kept
    },
  }
}
