/** Runs `work` at most once a minute. Runs it again in the next call if it fails. */
export function everyMinute(work: () => Promise<unknown>): () => Promise<unknown> {
  let next = 0
  return async () => {
    if (performance.now() < next) return
    await work()
    next = performance.now() + 60_000
  }
}

/** Runs `work` until it succeeds once. */
export function once(work: () => Promise<unknown>): () => Promise<unknown> {
  let done = false
  return async () => {
    if (done) return
    await work()
    done = true
  }
}
