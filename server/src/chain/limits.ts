/** Limits of the calls that a view of the node, or of an ord server, makes. */
export interface Limits {
  /** The longest wait for an answer, in milliseconds; default: that of the call. */
  milliseconds?: number
  /** Abandons the calls. */
  signal?: AbortSignal
}

/** The signal that ends a call at its limits; `usual` milliseconds where they name no other time. */
export function signalOf({ milliseconds, signal }: Limits, usual: number): AbortSignal {
  const deadline = AbortSignal.timeout(milliseconds ?? usual)
  return signal ? AbortSignal.any([deadline, signal]) : deadline
}
