/** The result of work; null where it takes longer. */
export function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((done) => {
    timer = setTimeout(done, milliseconds, null)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
