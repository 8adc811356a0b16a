/** HTTP status by kind of error. */
export const STATUS_OF_KIND = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  'method-refused': 405,
  unacceptable: 406,
  late: 408,
  conflict: 409,
  expired: 410,
  'too-large': 413,
  'unsupported-encoding': 415,
  'out-of-range': 416,
  throttled: 429,
  'headers-too-large': 431,
  unexpected: 500,
  unavailable: 503,
} as const

export type ErrorKind = keyof typeof STATUS_OF_KIND

export interface ErrorText {
  /** What happened, in one or two sentences. */
  about: string
  /** What to do next. */
  mend: string
  /** Whether the same request can succeed later. Overrides the kind's default. */
  retryable?: boolean
}

const RETRYABLE: ReadonlySet<ErrorKind> = new Set(['late', 'throttled', 'unexpected', 'unavailable'])

/** Adds kind, status and the default of `retryable`. */
export const entries = <const K extends ErrorKind, const C extends string>(
  kind: K,
  texts: Record<C, ErrorText>,
) =>
  Object.fromEntries(
    Object.entries<ErrorText>(texts).map(([code, text]) => [
      code,
      { kind, status: STATUS_OF_KIND[kind], retryable: RETRYABLE.has(kind), ...text },
    ]),
  ) as unknown as Record<C, Required<ErrorText> & { kind: K; status: number }>
