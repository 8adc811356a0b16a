import { ApiError, isRetryable } from './errors.ts'

/** First wait before a read is repeated of which the market says no time; each further one is twice as long. */
const FIRST_MILLISECONDS = 500
/** A market that asks for a longer wait is not waited for: the caller decides. */
const MAX_MILLISECONDS = 120_000

/** Limits of the repetition of one call. */
export interface Repeating {
  /** Most repetitions after the first attempt. */
  repeats: number
  /** Whether the market does the same once, however often it gets the call. */
  isSafe: boolean
  signal: AbortSignal | null
}

/**
 * Retries a call that may succeed later, after the market's `Retry-After`. A call that is not safe to repeat is retried only after a 429,
 * which means that nothing was done. Throws the last error, or the reason of the signal.
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
      await rest(wait, signal)
    }
}

const isThrottled = (error: unknown) => error instanceof ApiError && error.status === 429

/** Milliseconds; spread, so that clients which were refused together do not come back together. */
function waitAfter(error: unknown, repeated: number): number {
  const said = error instanceof ApiError ? error.retryAfterSeconds : null
  const wait = said === null ? FIRST_MILLISECONDS * 2 ** repeated : said * 1000
  return wait * (1 + Math.random() / 10)
}

/** Waits, or throws the reason of the signal once it fires. */
export function rest(milliseconds: number, signal: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
