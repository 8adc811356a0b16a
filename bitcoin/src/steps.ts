/** A computation in steps of a few milliseconds. The caller can yield to the event loop between steps. */
export type Steps<T> = Generator<void, T>

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
