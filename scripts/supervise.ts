import { setTimeout as sleep } from 'node:timers/promises'

/** A part of the market while it runs. */
export interface Part {
  /** Resolves once it has ended, with how. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** A part that ended before it ran; it has said why itself. */
export class PartFailed extends Error {}

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

/** A part that has run for so long, in milliseconds, has not failed at once. */
const STEADY = 60_000
/** So many ends in a row are too many: waiting mends nothing. */
const MOST_FAILURES = 8
const LONGEST_PAUSE = 10_000

/**
 * Starts a part and keeps it running: when it ends by itself it is started again, after a pause that grows while it keeps
 * ending soon. Gives a function that stops it. Throws where the first start fails.
 */
export async function supervise(
  name: string,
  start: () => Promise<Part>,
  { say, giveUp, stopping, firstPause = 500 }: Supervision,
): Promise<() => Promise<void>> {
  let part: Part | null = await start()
  const keep = async () => {
    for (let failures = 0; ; ) {
      const began = performance.now()
      const how = part ? await part.ended : 'could not be started'
      part = null
      if (stopping.aborted) return
      failures = performance.now() - began > STEADY ? 1 : failures + 1
      if (failures > MOST_FAILURES)
        return giveUp(`${name} ended ${failures} times in a row (${how}): giving up`)
      const pause = Math.min(firstPause * 2 ** (failures - 1), LONGEST_PAUSE)
      say(`${name} ended (${how}): starting it again in ${pause / 1000} s`)
      await sleep(pause, undefined, { signal: stopping }).catch(() => {})
      if (stopping.aborted) return
      try {
        part = await start()
        say(`${name} runs again`)
      } catch (error) {
        say(`${name} does not start: ${error instanceof Error ? error.message : error}`)
      }
      // The stop may have come while it started.
      if (stopping.aborted) await part?.stop()
    }
  }
  const kept = keep()
  return async () => {
    await part?.stop()
    await kept
  }
}
