import { describe, expect, it } from 'vitest'
import { assertAnswerSchema } from './answer-forms.ts'
import { Client } from './client.ts'
import { demoWallets } from './demo-wallets.ts'
import { isRetryable, OrdbookError, type SubmitUncertain } from './errors.ts'
import { scriptedMarket } from './scripted-market.ts'
import { submit } from './submitting.ts'

type Scripted = ReturnType<Parameters<typeof scriptedMarket>[0]>

const signed = 'ab'.repeat(32)
const transfer = 'ef'.repeat(32)
const params = { slug: 'lamps' }
const body = { walletBindingId: 'w' } as never

/** Submits a signed purchase to a market with this response. Returns the error and the requests. */
async function submitTo(response: Scripted) {
  const { origin, requests } = await scriptedMarket(() => response)
  const client = new Client(origin, { deadlineMilliseconds: 300 })
  client.checkAnswer = assertAnswerSchema
  const trader = {
    client,
    wallet: demoWallets('regtest').first,
    walletBindingId: 'w',
    cosignKey: 'aa'.repeat(32),
    guardianKey: 'bb'.repeat(32),
  }
  const answer = { expectedSettlementTxid: signed, expectedListingTransferTxids: [transfer], steps: [] }
  const error = await submit(trader, 'submitPurchase', Promise.resolve({ params, body, answer })).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return { client, error, requests }
}

describe('submit', () => {
  it.each<[string, Scripted, string]>([
    ['a dropped connection', { body: undefined }, 'ConnectionFailed'],
    ['a timeout', { body: {}, isHanging: true }, 'TimeoutError'],
    ['a response that is not JSON', { body: '<!doctype html>' }, 'CheckFailed'],
    ['a response that violates the contract', { body: '{"settlementTxid":7}' }, 'InvalidResponse'],
    ['another txid', { body: { settlementTxid: 'cd'.repeat(32) } }, 'CheckFailed'],
    ['a status 500', { status: 500, body: { error: 'x', code: 'unexpected' } }, 'ApiError'],
    ['a status 502', { status: 502, body: '' }, 'ApiError'],
    ['a status 504', { status: 504, body: '' }, 'ApiError'],
  ])('throws SubmitUncertain after %s', async (_, response, cause) => {
    const { client, error, requests } = await submitTo(response)
    expect(error).toMatchObject({
      name: 'SubmitUncertain',
      code: 'submit-uncertain',
      txids: [signed, transfer],
      operation: 'submitPurchase',
      input: { params, body },
      cause: { name: cause },
    })
    expect(error).toBeInstanceOf(OrdbookError)
    expect(isRetryable(error)).toBe(false)
    const { operation, input, idempotencyKey, message } = error as SubmitUncertain
    expect(message).toContain(signed)
    await client.call(operation, input, { idempotencyKey }).catch(() => {})
    expect(requests).toHaveLength(2)
    expect(requests[1]!.body).toEqual(requests[0]!.body)
    expect(requests[1]!.headers['idempotency-key']).toBe(requests[0]!.headers['idempotency-key'])
  })

  it.each([400, 401, 409, 429, 503])('throws ApiError after a status %d', async (status) => {
    const { error } = await submitTo({ status, body: { error: 'x', code: 'x' } })
    expect(error).toMatchObject({ name: 'ApiError', status })
  })

  it("throws the signal's reason", async () => {
    const stop = AbortSignal.abort(new Error('stopped'))
    const client = new Client('http://127.0.0.1:1', { signal: stop })
    const prepared = Promise.resolve({ params, body, answer: {} })
    await expect(submit({ client } as never, 'submitPurchase', prepared)).rejects.toThrow('stopped')
  })
})
