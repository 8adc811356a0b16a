import { afterEach, describe, expect, it } from 'vitest'
import { demoWallets } from '../demo-wallets.ts'
import { WalletDeclined, WalletRefused } from '../errors.ts'
import type { Account, Adapter } from './adapter.ts'
import { browserWallets } from './browser-wallets.ts'

const { first } = demoWallets('regtest')
const ordinals: Account = { address: first.ordinalsAddress, publicKey: first.ordinalsPublicKey }
const accounts = { ordinals, payment: ordinals }
const PSBT = 'cHNidP8BAAoCAAAAAAAAAAAAAA=='
const requests = [{ psbtBase64: PSBT, inputsToSign: [] }]

const PLACES = ['XverseProviders', 'LeatherProvider', 'unisat', 'okxwallet', 'magicEden', 'phantom']
afterEach(() => {
  for (const place of PLACES) Reflect.deleteProperty(globalThis, place)
})

/** Adds providers to the window whose methods all return `answer`. */
function inject(answer: unknown): void {
  const provider: object = new Proxy(
    {},
    { get: (_, name) => (/^(BitcoinProvider|bitcoin)$/.test(String(name)) ? provider : () => answer) },
  )
  for (const place of PLACES) Reflect.set(globalThis, place, provider)
}

const GARBAGE: readonly unknown[] = [
  undefined,
  null,
  7,
  [],
  [null],
  {},
  { result: null },
  { result: 7 },
  { result: { addresses: 'none', signature: 7, psbt: {}, hex: ['00'] } },
  { addresses: [{ purpose: 'ordinals', ...ordinals, publicKey: 'zz' }], signature: 'text', psbtBase64: 7 },
  [{ purpose: 'ordinals', address: 7, publicKey: ordinals.publicKey }],
  { address: ordinals.address, publicKey: ordinals.address },
]
const CALLS: Record<string, (adapter: Adapter) => Promise<unknown>> = {
  connect: (adapter) => adapter.connect('regtest'),
  signMessage: (adapter) => adapter.signMessage(ordinals, 'hello'),
  signPsbts: (adapter) => adapter.signPsbts(requests, accounts),
}

describe.each(browserWallets)('$name', (adapter) => {
  it('is not present outside a browser', async () => {
    expect(adapter.isPresent()).toBe(false)
    await expect(adapter.connect('regtest')).rejects.toThrow(WalletRefused)
  })

  it.each(Object.keys(CALLS))('rejects undocumented responses to %s', async (call) => {
    for (const answer of GARBAGE) {
      inject(answer)
      expect(adapter.isPresent()).toBe(true)
      await expect(CALLS[call]!(adapter), JSON.stringify(answer)).rejects.toThrow(WalletRefused)
    }
  })

  it("includes the wallet's reason in the error", async () => {
    const declined = Promise.reject(new Error('User rejected request'))
    declined.catch(() => {})
    inject(declined)
    await expect(adapter.connect('regtest')).rejects.toThrow('User rejected request')
  })

  it('throws WalletDeclined for a declined request', async () => {
    const rejection = { code: adapter.id === 'xverse' ? -32000 : 4001, message: 'User rejected the request.' }
    for (const thrown of [
      rejection,
      Object.assign(new Error(rejection.message), rejection),
      { error: rejection },
    ]) {
      const declined = Promise.reject(thrown)
      declined.catch(() => {})
      inject(declined)
      await expect(adapter.connect('regtest')).rejects.toThrow(WalletDeclined)
    }
    const locked = Promise.reject(Object.assign(new Error('locked'), { code: -32603 }))
    locked.catch(() => {})
    inject(locked)
    await expect(adapter.connect('regtest')).rejects.not.toThrow(WalletDeclined)
  })
})

it.each(['xverse', 'leather'])('%s throws WalletDeclined for a declined response', async (id) => {
  const adapter = browserWallets.find((wallet) => wallet.id === id)!
  for (const code of [4001, -32000]) {
    inject({ error: { code, message: 'User rejected request' } })
    await expect(adapter.connect('regtest')).rejects.toThrow(WalletDeclined)
  }
  inject({ error: { code: -32602, message: 'Invalid params' } })
  await expect(adapter.connect('regtest')).rejects.not.toThrow(WalletDeclined)
})

it('announces the number of windows', () => {
  const windowsOf = (psbts: number) =>
    browserWallets.map(({ id, windowsFor }) => [id, windowsFor?.(psbts) ?? 1])
  // Without a provider, Xverse and Magic Eden would sign one by one.
  expect(Object.fromEntries(windowsOf(28))).toMatchObject({ xverse: 28, 'magic-eden': 28, leather: 28 })
  inject({})
  expect(Object.fromEntries(windowsOf(28))).toEqual({
    xverse: 1,
    unisat: 1,
    leather: 28,
    okx: 1,
    'magic-eden': 1,
    phantom: 28,
  })
  expect(Object.fromEntries(windowsOf(101))).toMatchObject({ xverse: 2, unisat: 1 })
})
