import { ConnectionFailed, SubmitUncertain } from '@ordbook/sdk'
import { CheckFailed } from '@ordbook/sdk/verify'
import { expect, it } from 'vitest'
import { describeFailure } from './failure.ts'

it.each([
  new CheckFailed('the market reported another txid'),
  new ConnectionFailed(new TypeError('fetch failed')),
])('a lost or invalid response to signed transactions is not retryable: $name', (cause) => {
  const txids = ['ab'.repeat(32)]
  const call = { txids, operation: 'submitPurchase', input: {}, idempotencyKey: 'k' } as const
  const { document, exit } = describeFailure(new SubmitUncertain(cause, call))
  expect(exit).toBe(8)
  expect(document).toMatchObject({ code: 'submit-uncertain', retryable: false, txids })
  expect(document.message).toContain(cause.message)
})
