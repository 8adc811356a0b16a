import { ApiError, isRetryable } from './errors.ts'

/** First delay without Retry-After; doubled for each further retry. */
const FIRST_MILLISECONDS = 500
/** Maximum delay. Beyond it, the caller decides. */
const MAX_MILLISECONDS = 120_000

export interface Repeating {
  repeats: number
  isSafe: boolean
  signal: AbortSignal | null
}

/**
 * Retries failed calls after the market's `Retry-After`. Calls that are not idempotent are retried only after a 429. Throws the last error,
 * or the reason of the signal.
 */
export async function repeating<T>(
  attempt: () => Promise<T>,
  { repeats, isSafe, signal }: Repeating,
): Promise<T> {
  for (let repeated = 0; ; repeated++)
    try {
      return await attempt()
    } catch (error) {
      if (repeated >= repeats || !(isSafe ? isRetryable(error) : isThrottled(error))) throw error
      const wait = waitAfter(error, repeated)
      if (wait > MAX_MILLISECONDS) throw error
      await sleep(wait, signal)
    }
}

const isThrottled = (error: unknown) => error instanceof ApiError && error.status === 429

function waitAfter(error: unknown, repeated: number): number {
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : null
  const wait = retryAfter === null ? FIRST_MILLISECONDS * 2 ** repeated : retryAfter * 1000
  return wait * (1 + Math.random() / 10)
}

/** Waits. Rejects with the reason of the signal if it aborts. */
export function sleep(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
