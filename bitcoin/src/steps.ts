/** Work that yields between parts of a few milliseconds, where its caller may do other things. */
export type Steps<T> = Generator<void, T>

/** Does the work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
