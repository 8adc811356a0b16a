import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { describe, expect, it } from 'vitest'
import { NodeRefused } from './core-rpc.ts'
import { ApiError, CheckFailed, ConnectionFailed, isRetryable } from './errors.ts'
import * as sdk from './index.ts'

const refusal = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  ApiError.of(new Response(null, { status, headers, statusText: 'Status Text' }), body)

describe('ApiError', () => {
  it('copies the fields of the response', () => {
    const body = {
      error: 'Too many requests. Retry-After: 7',
      code: 'rate-limited',
      retryable: true,
      docsUrl: 'https://market.example/docs/errors#rate-limited',
    }
    const error = refusal(429, body, { 'retry-after': '7', 'x-request-id': 'r1' })
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 429,
      message: body.error,
      code: 'rate-limited' satisfies ErrorCode,
      retryable: true,
      docsUrl: body.docsUrl,
      requestId: 'r1',
      retryAfterSeconds: 7,
      cause: body,
    })
  })

  it.each([null, 'text', {}, { error: 1, code: 2, retryable: 'yes', docsUrl: [] }])(
    'falls back to the status for the body %j',
    (body) => {
      expect(refusal(503, body)).toMatchObject({
        message: 'Status Text',
        code: null,
        retryable: true,
        docsUrl: null,
        requestId: null,
        retryAfterSeconds: null,
      })
      expect(refusal(409, body).retryable).toBe(false)
    },
  )
})

it.each([
  ['7', 7],
  ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['soon', null],
  ['-1', null],
])('parses Retry-After %j', (header, seconds) => {
  expect(refusal(503, null, { 'retry-after': header }).retryAfterSeconds).toBe(seconds)
})

it('parses a Retry-After date', () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString()
  const { retryAfterSeconds } = refusal(503, null, { 'retry-after': at })
  expect(retryAfterSeconds).toBeGreaterThan(3_500)
  expect(retryAfterSeconds).toBeLessThanOrEqual(3_600)
})

it('isRetryable is true for temporary errors', () => {
  expect(isRetryable(refusal(409, { error: 'x', code: 'inscription-moving', retryable: true }))).toBe(true)
  expect(isRetryable(refusal(503, { error: 'x', code: 'ord-unfit', retryable: false }))).toBe(false)
  expect(isRetryable(new ConnectionFailed(new TypeError('fetch failed')))).toBe(true)
  expect(isRetryable(new TypeError('x is undefined'))).toBe(false)
  expect(isRetryable(new DOMException('timed out', 'TimeoutError'))).toBe(true)
  expect(isRetryable(new DOMException('aborted', 'AbortError'))).toBe(false)
  expect(isRetryable(new CheckFailed('another address'))).toBe(false)
  expect(isRetryable('text')).toBe(false)
})

it('all errors have a name, a code and a common base', () => {
  const signature = { fault: 'missing', wallet: null, step: 'the sale', sighash: null } as const
  const uncertain = { txids: [], operation: 'submitMove', input: {}, idempotencyKey: 'k' } as const
  const errors = [
    [new ApiError(500, ''), 'ApiError', null],
    [new CheckFailed(''), 'CheckFailed', 'check-failed'],
    [new sdk.InvalidResponse(''), 'InvalidResponse', 'invalid-response'],
    [new sdk.TraceTooLong(''), 'TraceTooLong', 'trace-too-long'],
    [new sdk.SubmitUncertain(null, uncertain), 'SubmitUncertain', 'submit-uncertain'],
    [new sdk.OutsideAgreement(''), 'OutsideAgreement', 'outside-agreement'],
    [new sdk.OverBudget(''), 'OverBudget', 'over-budget'],
    [new sdk.OverNetworkFee(2, 1), 'OverNetworkFee', 'over-network-fee'],
    [new sdk.GoesAlong([]), 'GoesAlong', 'goes-along'],
    [new sdk.CannotSplit('nothing-to-split', ''), 'CannotSplit', 'nothing-to-split'],
    [new sdk.BelowTopOffer(''), 'BelowTopOffer', 'below-top-offer'],
    [new sdk.BadSignature('', signature), 'BadSignature', 'bad-signature'],
    [new sdk.WalletRefused(''), 'WalletRefused', 'wallet-refused'],
    [new sdk.WalletDeclined(''), 'WalletDeclined', 'wallet-declined'],
    [new sdk.WalletUnconnected(''), 'WalletUnconnected', 'wallet-unconnected'],
    [new NodeRefused(-5, ''), 'NodeRefused', 'node-refused'],
  ] as const
  for (const [error, name, code] of errors) {
    expect(error).toBeInstanceOf(sdk.OrdbookError)
    expect([error.name, error.code, Reflect.get(sdk, name)]).toEqual([name, code, error.constructor])
  }
})
