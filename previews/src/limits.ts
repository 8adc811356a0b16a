import type { Usage } from './usage.ts'

export interface Limits {
  milliseconds: number
  /** Wall-clock time, including waits for a processor. */
  clockMilliseconds: number
  bytes: number
}

export interface Passed {
  reason: string
  isByClock: boolean
}

/** Wall-clock time relative to processor time, and its maximum in milliseconds. The market allows two minutes per item. */
const BY_CLOCK = 3
const MAX_BY_CLOCK = 110_000
const WATCH_MILLISECONDS = 100

export const limitsOf = (seconds: number, megabytes: number): Limits => ({
  milliseconds: seconds * 1000,
  clockMilliseconds: Math.min(BY_CLOCK * seconds * 1000, MAX_BY_CLOCK),
  bytes: megabytes * 2 ** 20,
})

/** Watches processes and calls `end` each time a limit is exceeded. The returned function checks a last time and stops. */
export function watchUsage(
  what: string,
  usage: () => Usage,
  {
    limits: { milliseconds, clockMilliseconds, bytes },
    end,
  }: { limits: Limits; end: (passed: Passed) => void },
): () => void {
  const before = usage().milliseconds
  const report = (limit: string, isByClock = false) =>
    end({ reason: `${what} used more than ${limit}`, isByClock })
  const timer = setTimeout(() => report(`${clockMilliseconds / 1000} s`, true), clockMilliseconds)
  const check = () => {
    const current = usage()
    if (current.bytes > bytes) report(`${Math.round(bytes / 2 ** 20)} MB of memory`)
    else if (current.milliseconds - before > milliseconds)
      report(`${milliseconds / 1000} s of processor time`)
  }
  const watch = setInterval(check, WATCH_MILLISECONDS)
  return () => {
    clearTimeout(timer)
    clearInterval(watch)
    check()
  }
}
