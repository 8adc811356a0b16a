import type { Usage } from './usage.ts'

/** The limits of one piece. */
export interface Limits {
  /** Time of processors. */
  milliseconds: number
  /** Time by the clock, in which a busy machine keeps an honest piece waiting, too. */
  clockMilliseconds: number
  bytes: number
}

/** The limit that a piece passed. */
export interface Passed {
  reason: string
  isByClock: boolean
}

/** By the clock a piece has so many times its time of processors, as far as the market's two minutes for a piece allow. */
const BY_CLOCK = 3
const MAX_BY_CLOCK = 110_000
const WATCH_MILLISECONDS = 100

/** The limits of a piece that may take so much time of processors and memory. */
export const limitsOf = (seconds: number, megabytes: number): Limits => ({
  milliseconds: seconds * 1000,
  clockMilliseconds: Math.min(BY_CLOCK * seconds * 1000, MAX_BY_CLOCK),
  bytes: megabytes * 2 ** 20,
})

/**
 * Watches the usage of processes while they work on a piece, and calls `end` each time that it finds a limit passed. Gives the function
 * that ends the watch with a last look: a piece may pass a limit and be done between two looks.
 */
export function watchPiece(
  what: string,
  usage: () => Usage,
  {
    limits: { milliseconds, clockMilliseconds, bytes },
    end,
  }: { limits: Limits; end: (passed: Passed) => void },
): () => void {
  const before = usage().milliseconds
  const passed = (limit: string, isByClock = false) =>
    end({ reason: `${what} takes more than ${limit}`, isByClock })
  const late = setTimeout(() => passed(`${clockMilliseconds / 1000} s`, true), clockMilliseconds)
  const look = () => {
    const used = usage()
    if (used.bytes > bytes) passed(`${Math.round(bytes / 2 ** 20)} MB of memory`)
    else if (used.milliseconds - before > milliseconds) passed(`${milliseconds / 1000} s of processor time`)
  }
  const watch = setInterval(look, WATCH_MILLISECONDS)
  return () => {
    clearTimeout(late)
    clearInterval(watch)
    look()
  }
}
