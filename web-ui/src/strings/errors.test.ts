import { ERRORS, type ErrorCode } from '@ordbook/contract/errors.ts'
import { describe, expect, it } from 'vitest'
import { loadRefusals, refusalText } from './errors.ts'
import { REFUSALS } from './refusals.ts'

/** Codes that no page can meet: figures of the operator, and requests that the pages never make. */
const NEVER_MET: readonly ErrorCode[] = [
  'path-invalid',
  'request-invalid',
  'body-not-json',
  'operator-token-required',
  'metrics-closed',
  'encoding-not-acceptable',
  'range-not-satisfiable',
  'headers-too-large',
]

await loadRefusals()
const codes = Object.keys(ERRORS) as ErrorCode[]
const texts = codes.flatMap((code) =>
  [null, 12].map((retryAfterSeconds) => refusalText({ code, retryAfterSeconds })),
)

describe('the words of refusals', () => {
  it('exist for every code of the table that a page can meet', () => {
    expect(codes.filter((code) => !(code in REFUSALS))).toEqual(NEVER_MET)
  })

  it('are sentences, within two lines of a phone message', () => {
    for (const text of texts) {
      expect(text).toMatch(/^[A-Z].*\.$/)
      expect(text.length).toBeLessThanOrEqual(190)
    }
  })

  it('hold no name of a field, no request of the API and no long id', () => {
    for (const text of texts) {
      expect(text).not.toMatch(/[a-z][A-Z]|_|\b(GET|POST|preflight|sighash)\b/)
      expect(text).not.toMatch(/\b(?=[a-z]*\d)\w{17,}\b/i)
      expect(text).not.toMatch(/\b1 (items|seconds|blocks)\b/)
    }
  })

  it('say how long to wait where the market says so', () => {
    expect(refusalText({ code: 'rate-limited', retryAfterSeconds: 12 })).toBe(
      'Slow down a moment. Back in 12 s.',
    )
  })
})
