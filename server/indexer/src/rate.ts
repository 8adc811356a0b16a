/** Samples of the last minutes. */
const SPAN_MS = 5 * 60_000
const STEP_MS = 1000
/** Shorter measurements say little about the rest. */
const LEAST_MS = 5000

/** Measures the speed of long work over the last minutes. */
export class Rate {
  private readonly samples: { at: number; done: number }[] = []

  /** Notes how much is done, in any unit. */
  note(done: number, at = performance.now()): void {
    const { samples } = this
    if (samples.length > 1 && at - samples.at(-2)!.at < STEP_MS) samples.pop()
    samples.push({ at, done })
    while (samples.length > 2 && samples[1]!.at < at - SPAN_MS) samples.shift()
  }

  /** Returns units per second; null if too little is known. */
  perSecond(): number | null {
    const [from, to] = [this.samples[0], this.samples.at(-1)]
    if (!from || !to || to.at - from.at < LEAST_MS || to.done <= from.done) return null
    return (1000 * (to.done - from.done)) / (to.at - from.at)
  }

  /** Returns the estimated seconds for the rest; null if too little is known. */
  secondsLeft(rest: number): number | null {
    const speed = this.perSecond()
    return speed === null ? null : Math.round(rest / speed)
  }
}
