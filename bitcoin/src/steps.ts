/** Work in steps of a few milliseconds. The caller can do other work between steps. */
export type Steps<T> = Generator<void, T>

/** Does the work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
