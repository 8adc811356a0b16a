/** Returns the result of `work`, or null on a timeout. Does not cancel the work. */
export function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((done) => {
    timer = setTimeout(done, milliseconds, null)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
