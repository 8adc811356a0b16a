export interface Limits {
  /** Timeout per call in milliseconds. The default depends on the call. */
  milliseconds?: number
  signal?: AbortSignal
}

/**
 * Runs a call with a signal that aborts at its limits. `defaultMs` is the default timeout. Clears the timer afterwards, unlike
 * `AbortSignal.timeout`, because a settlement makes hundreds of calls.
 */
export async function withinLimits<T>(
  { milliseconds, signal }: Limits,
  defaultMs: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const ended = new AbortController()
  const onTimeout = () => deadline.abort(new DOMException('the request timed out', 'TimeoutError'))
  const timer = setTimeout(onTimeout, milliseconds ?? defaultMs).unref()
  const limit = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal
  // A call may not notice the signal: reading or cancelling the body of a response can hang.
  const aborted = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason), { once: true, signal: ended.signal })
  })
  try {
    limit.throwIfAborted()
    return await Promise.race([call(limit), aborted])
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}
