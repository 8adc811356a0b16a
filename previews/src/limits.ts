import type { Usage } from './usage.ts'

export interface Limits {
  /** Processor time. */
  milliseconds: number
  /** Wall-clock time in which no process waits for a processor. Ends content that does nothing. */
  idleMilliseconds: number
  /** Wall-clock time. */
  clockMilliseconds: number
  bytes: number
}

export interface Passed {
  reason: string
  /** Whether a busy machine can be the cause. */
  isByClock: boolean
}

/** Wall-clock limits, relative to the limit of processor time. */
const IDLE = 3
const CLOCK = 15
const WATCH_MILLISECONDS = 100

export const limitsOf = (seconds: number, megabytes: number): Limits => ({
  milliseconds: seconds * 1000,
  idleMilliseconds: IDLE * seconds * 1000,
  clockMilliseconds: CLOCK * seconds * 1000,
  bytes: megabytes * 2 ** 20,
})

/** Measures wall-clock time without the time that processes waited for a processor. */
export function idleClock(usage: () => Usage): () => number {
  const began = performance.now()
  const before = usage().waitingMilliseconds
  return () => performance.now() - began - Math.max(0, usage().waitingMilliseconds - before)
}

/** Watches processes and calls `end` each time a limit is exceeded. The returned function checks a last time and stops. */
export function watchUsage(
  what: string,
  usage: () => Usage,
  { limits, end }: { limits: Limits; end: (passed: Passed) => void },
): () => void {
  const before = usage().milliseconds
  const began = performance.now()
  const idle = idleClock(usage)
  const report = (limit: string, isByClock = false) =>
    end({ reason: `${what} used more than ${limit}`, isByClock })
  const checkClock = () => {
    const passed = performance.now() - began
    if (passed > limits.clockMilliseconds) report(`${limits.clockMilliseconds / 1000} s`, true)
    else if (passed > limits.idleMilliseconds && idle() > limits.idleMilliseconds)
      report(`${limits.idleMilliseconds / 1000} s without waiting for a processor`, true)
  }
  const check = () => {
    const current = usage()
    if (current.bytes > limits.bytes) report(`${Math.round(limits.bytes / 2 ** 20)} MB of memory`)
    else if (current.milliseconds - before > limits.milliseconds)
      report(`${limits.milliseconds / 1000} s of processor time`)
    else checkClock()
  }
  const watch = setInterval(check, WATCH_MILLISECONDS)
  return () => {
    clearInterval(watch)
    check()
  }
}
