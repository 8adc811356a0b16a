/** A computation in steps of a few milliseconds; the caller can do other work between steps. */
export type Steps<T> = Generator<void, T>

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
