import { setTimeout as sleep } from 'node:timers/promises'

/** A running part of the market. */
export interface Part {
  /** Resolves with the reason once it has exited. */
  ended: Promise<string>
  stop(): Promise<void>
}

export interface Supervision {
  /** Prints a message for the operator. */
  say(text: string): void
  /** Called if a part cannot be kept running. */
  giveUp(problem: string): void
  /** Aborted when everything stops. */
  stopping: AbortSignal
  /** Initial restart delay in milliseconds; shorter in tests. */
  firstPause?: number
}

/** A part that ran for this long, in milliseconds, started successfully. */
const STEADY = 60_000
/** Exits in a row after which to give up. */
const MAX_FAILURES = 8
const MAX_PAUSE = 10_000

export interface Supervised {
  /** Resolves once it is running for the first time; rejects if it fails to start. */
  started: Promise<void>
  /** Stops it, also during its start. */
  stop(): Promise<void>
}

/**
 * Starts a part and restarts it when it exits, with a growing delay while it keeps exiting early. `start` gets a
 * signal that aborts a pending start on shutdown.
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
