/** Limits of the calls of a view of the node, or of an ord server. */
export interface Limits {
  /** Timeout per call in milliseconds; default: the call's own. */
  milliseconds?: number
  /** Cancels the calls. */
  signal?: AbortSignal
}

/**
 * Runs a call with a signal that aborts at its limits; `usual` is the default timeout in milliseconds. The timer is cleared when the call
 * ends: `AbortSignal.timeout` would still fire later, for the hundreds of calls of a settlement in the same tick.
 */
export async function withinLimits<T>(
  { milliseconds, signal }: Limits,
  usual: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const late = () => deadline.abort(new DOMException('the source did not answer in time', 'TimeoutError'))
  const timer = setTimeout(late, milliseconds ?? usual).unref()
  try {
    return await call(signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal)
  } finally {
    clearTimeout(timer)
  }
}
