/** Limits of the calls that a view of the node, or of an ord server, makes. */
export interface Limits {
  /** The longest wait for an answer, in milliseconds; default: that of the call. */
  milliseconds?: number
  /** Abandons the calls. */
  signal?: AbortSignal
}

/**
 * Does a call with a signal that ends it at its limits; `usual` milliseconds where they name no other time. The deadline ends with the
 * call: one of `AbortSignal.timeout` fires later all the same, for hundreds of calls of a settlement in one turn of the event loop.
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
