import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { OnSigned, SigningRequest } from '@ordbook/sdk/wallet.ts'
import type { Accounts, Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lateRequest, patient } from './patience.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const account = { address: 'an address', publicKey: 'a key' }
const accounts: Accounts = { ordinals: account, payment: account }
const requests = ['a', 'b', 'c'].map((psbtBase64): SigningRequest => ({ psbtBase64, inputsToSign: [] }))

/** Wallet that shows one PSBT at a time and responds on `answer`. */
function slowWallet() {
  const shown: { psbtBase64: string; answer(): void }[] = []
  const adapter: Adapter = {
    id: 'slow',
    name: 'Slow',
    url: '',
    isPresent: () => true,
    connect: () => new Promise(() => {}),
    signMessage: () => Promise.reject(new WalletRefused('locked')),
    async signPsbts(asked, _, onSigned?: OnSigned) {
      const signed: string[] = []
      for (const [n, { psbtBase64 }] of asked.entries()) {
        await new Promise<void>((answer) => void shown.push({ psbtBase64, answer }))
        signed.push(`${psbtBase64} signed`)
        onSigned?.(n, signed[n]!)
      }
      return signed
    },
  }
  return { wallet: patient(adapter), shown }
}

it('requests only the missing signatures again', async () => {
  const { wallet, shown } = slowWallet()
  const told: [number, string][] = []
  const signed = wallet.signPsbts(requests, accounts, (...each) => void told.push(each))
  shown[0]!.answer()
  await vi.advanceTimersByTimeAsync(59_000)
  expect(lateRequest.get()).toBeNull()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(lateRequest.get()).toMatchObject({ wallet: 'Slow' })
  lateRequest.get()!.askAgain()
  expect(lateRequest.get()).toBeNull()
  expect(shown.map(({ psbtBase64 }) => psbtBase64)).toEqual(['a', 'b', 'b'])
  // The window of the first attempt responds late.
  shown[1]!.answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(shown).toHaveLength(3)
  shown[2]!.answer()
  await vi.advanceTimersByTimeAsync(0)
  shown[3]!.answer()
  expect(await signed).toEqual(['a signed', 'b signed', 'c signed'])
  expect(told).toEqual([
    [0, 'a signed'],
    [1, 'b signed'],
    [2, 'c signed'],
  ])
})

it('restarts the timeout after each signature', async () => {
  const { wallet, shown } = slowWallet()
  const signed = wallet.signPsbts(requests, accounts)
  const refused = expect(signed).rejects.toThrow('Slow did not respond')
  for (const n of [0, 1]) {
    await vi.advanceTimersByTimeAsync(50_000)
    shown[n]!.answer()
    await vi.advanceTimersByTimeAsync(0)
    expect(lateRequest.get()).toBeNull()
  }
  await vi.advanceTimersByTimeAsync(61_000)
  lateRequest.get()!.stop()
  await refused
  expect(lateRequest.get()).toBeNull()
  shown[2]!.answer()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(lateRequest.get()).toBeNull()
})

it('accepts a late response', async () => {
  const { wallet, shown } = slowWallet()
  const signed = wallet.signPsbts(requests.slice(0, 1), accounts)
  await vi.advanceTimersByTimeAsync(61_000)
  expect(lateRequest.get()).not.toBeNull()
  shown[0]!.answer()
  expect(await signed).toEqual(['a signed'])
  expect(lateRequest.get()).toBeNull()
})

it('rejects immediately when the wallet rejects', async () => {
  await expect(slowWallet().wallet.signMessage(account, 'text')).rejects.toThrow('locked')
})
