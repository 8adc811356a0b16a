import {
  ApiError,
  BadSignature,
  CheckFailed,
  InvalidResponse,
  OverBudget,
  OverNetworkFee,
  type SignatureFault,
  WalletDeclined,
  WalletRefused,
} from '@ordbook/sdk/errors.ts'
import { describe, expect, it } from 'vitest'
import { loadRefusals } from '../strings/errors.ts'
import { errorText } from './error-text.ts'

await loadRefusals()

const refusal = (code: string | null, status = 400, retryAfterSeconds: number | null = null) =>
  new ApiError(status, 'as the market says', { code, retryAfterSeconds })

describe('errorText', () => {
  it('chooses the text by error code', () => {
    for (const status of [400, 404, 409])
      expect(errorText(refusal('inscription-unknown', status))).toBe(
        'Item not found. Check the id, or search.',
      )
    expect(errorText(refusal('rate-limited', 429, 12))).toBe('Too many requests. Try again in 12 s.')
  })

  it.each(['a-code-of-a-newer-market', 'toString', 'path-invalid'])(
    'returns a general text for code %s',
    (code) => {
      for (const status of [400, 401, 404, 409, 429])
        expect(errorText(refusal(code, status))).toBe(
          `The market rejected the request${code === 'toString' ? '' : ` (${code})`}. Reload the page before you try again.`,
        )
    },
  )

  it.each([null, '', '<b>', 'x'.repeat(41)])('omits the malformed code %s', (code) => {
    expect(errorText(refusal(code))).toBe(
      'The market rejected the request. Reload the page before you try again.',
    )
  })

  it.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    'returns the same text for the network error %s',
    (message) => {
      expect(errorText(new TypeError(message))).toBe(
        'Could not reach the market. Nothing was sent. Try again once you are connected.',
      )
    },
  )

  it('hides the message of a TypeError', () => {
    expect(errorText(new TypeError("Cannot read properties of undefined (reading 'sats')"))).toBe(
      'Something went wrong. Reload the page.',
    )
  })

  it('shortens ids in wallet messages', () => {
    expect(
      errorText(new WalletRefused(`bcrt1p${'q2'.repeat(28)} is not yours, signMultipleTransactions`)),
    ).toBe('bcrt…q2q2 is not yours, signMultipleTransactions')
  })

  it('states that nothing was signed after a failed check', () => {
    expect(errorText(new WalletDeclined('User rejected request'))).toBe('Cancelled. Nothing was signed.')
    expect(errorText(new WalletRefused('The wallet has no signPsbts. Update the wallet.'))).toBe(
      'The wallet has no signPsbts. Update the wallet.',
    )
    expect(errorText(new CheckFailed('output 1 pays another address'))).toBe(
      'This transaction does not match what you were shown. Nothing was signed. (output 1 pays another address)',
    )
    expect(errorText(new InvalidResponse('/items/0/sellerSats must be >= 0'))).toBe(
      'The market sent an invalid response. Reload the page.',
    )
    expect(errorText(new OverBudget('it costs 9 sats'))).toBe('it costs 9 sats')
    expect(errorText(new OverNetworkFee(900, 700))).toMatch(
      /^The network fee rose from 0.000007 BTC to 0.000009 BTC/,
    )
  })

  it('names the wallet that returned a wrong signature', () => {
    const text = (fault: SignatureFault, wallet: string | null = 'Lamp') =>
      errorText(new BadSignature('reason', { fault, wallet, step: 'the sale of it', sighash: 131 }))
    for (const fault of ['missing', 'other-key'] as const)
      expect(text(fault)).toBe(
        'Lamp did not sign the sale of it with the key of your address. If the wallet is on another account, switch back, or connect again. Nothing was sent.',
      )
    expect(text('wrong-sighash')).toBe(
      'Lamp did not sign the sale of it as requested. Nothing was sent. (reason)',
    )
    expect(text('altered', null)).toBe(
      'The wallet did not sign the sale of it as requested. Nothing was sent. (reason)',
    )
    expect(text('unsafe')).toBe('reason')
  })

  it('finds the message of any thrown value', () => {
    expect(errorText({ message: 'locked' })).toBe('locked')
    expect(errorText('locked')).toBe('locked')
    expect(errorText({ message: { code: 7, message: 'psbt: expected string' } })).toBe(
      'psbt: expected string',
    )
    for (const nothing of [undefined, null, '', {}, { message: 7 }])
      expect(errorText(nothing)).toBe('The wallet declined the request. Try again, or use another wallet.')
  })
})
