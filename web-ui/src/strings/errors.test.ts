import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { describe, expect, it } from 'vitest'
import { loadRefusals, refusalText } from './errors.ts'
import { REFUSALS } from './refusals.ts'

/** Codes that pages never receive. */
const NEVER_RECEIVED: readonly ErrorCode[] = [
  'path-invalid',
  'request-invalid',
  'body-not-json',
  'operator-token-required',
  'metrics-closed',
  'encoding-not-acceptable',
  'encoding-unsupported',
  'range-not-satisfiable',
  'headers-too-large',
]

await loadRefusals()
const codes = Object.keys(ERRORS) as ErrorCode[]
const texts = codes.flatMap((code) =>
  [null, 12].map((retryAfterSeconds) => refusalText({ code, retryAfterSeconds })),
)

describe('REFUSALS', () => {
  it('covers every error code that pages receive', () => {
    expect(codes.filter((code) => !(code in REFUSALS))).toEqual(NEVER_RECEIVED)
  })

  it('limits sentences to 190 characters', () => {
    for (const text of texts) {
      expect(text).toMatch(/^[A-Z].*\.$/)
      expect(text.length).toBeLessThanOrEqual(190)
    }
  })

  it('mentions no field names or long ids', () => {
    for (const text of texts) {
      expect(text).not.toMatch(/[a-z][A-Z]|_|\b(GET|POST|preflight|sighash)\b/)
      expect(text).not.toMatch(/\b(?=[a-z]*\d)\w{17,}\b/i)
      expect(text).not.toMatch(/\b1 (items|seconds|blocks)\b/)
    }
  })

  it('includes the delay from Retry-After', () => {
    expect(refusalText({ code: 'rate-limited', retryAfterSeconds: 12 })).toBe(
      'Too many requests. Try again in 12 s.',
    )
  })
})
