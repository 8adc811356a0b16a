/** Returns a function that runs work and, `milliseconds` after the last work ends, calls `end`. */
export function endWhenIdle(
  milliseconds: number,
  end: () => void,
): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  let timer: NodeJS.Timeout | undefined
  return async (work) => {
    clearTimeout(timer)
    running++
    try {
      return await work()
    } finally {
      if (--running === 0) timer = setTimeout(end, milliseconds).unref()
    }
  }
}
