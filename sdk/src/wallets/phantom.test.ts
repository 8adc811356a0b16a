import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { demoWallets } from '../demo-wallets.ts'
import { WalletDeclined, WalletRefused, WalletUnconnected } from '../errors.ts'
import { bytesOf, hexOfBase64 } from './bytes.ts'
import { phantom } from './phantom.ts'

const { first } = demoWallets('regtest')
const ordinals = { address: first.ordinalsAddress, publicKey: first.ordinalsPublicKey }
const payment = { address: first.paymentAddress, publicKey: first.paymentPublicKey }
const accounts = { ordinals, payment }
const PSBT = 'cHNidP8BAAoCAAAAAAAAAAAAAA=='
const request = {
  psbtBase64: PSBT,
  inputsToSign: [{ address: ordinals.address, signingIndexes: [1], sigHash: 131 }],
}
const OF_WINDOW = ['addEventListener', 'dispatchEvent'] as const

afterEach(() => {
  for (const name of ['phantom', ...OF_WINDOW]) Reflect.deleteProperty(globalThis, name)
})

it.each([
  ['bytes', bytesOf(PSBT)],
  ['hex', hexOfBase64(PSBT)],
  ['base64', PSBT],
])('accepts a signed PSBT from the injected provider as %s', async (_, signed) => {
  Reflect.set(globalThis, 'phantom', { bitcoin: { signPSBT: async () => signed } })
  expect(await phantom.signPsbts([request], accounts)).toEqual([PSBT])
})

it('throws WalletRefused for a malformed signed PSBT', async () => {
  for (const signed of ['not a PSBT', '', 7, null, {}]) {
    Reflect.set(globalThis, 'phantom', { bitcoin: { signPSBT: async () => signed } })
    await expect(phantom.signPsbts([request], accounts), String(signed)).rejects.toThrow(WalletRefused)
  }
})

describe('Phantom in the Wallet Standard', () => {
  const own = [ordinals, payment].map(({ address, publicKey }) => ({
    address,
    publicKey: hexToBytes(publicKey),
  }))
  let requested: unknown[]
  let wallet: { name: string; accounts: typeof own; features: Record<string, object> }

  /** A window with a wallet that registers on `wallet-standard:app-ready`. */
  beforeEach(() => {
    const target = new EventTarget()
    for (const name of OF_WINDOW) Reflect.set(globalThis, name, target[name].bind(target))
    Reflect.set(globalThis, 'phantom', { bitcoin: {} })
    requested = []
    wallet = {
      name: 'Phantom',
      accounts: [],
      features: {
        'bitcoin:connect': {
          connect: async (input: unknown) => {
            requested.push(input)
            wallet.accounts = own
            return { accounts: own }
          },
        },
        'bitcoin:signMessage': { signMessage: async () => [{ signature: Uint8Array.of(1, 2, 3) }] },
        'bitcoin:signTransaction': {
          signTransaction: async (...inputs: { psbt: Uint8Array }[]) => {
            requested.push(...inputs)
            return inputs.map(({ psbt }) => ({ signedPsbt: psbt }))
          },
        },
      },
    }
    target.addEventListener('wallet-standard:app-ready', (event) => {
      const { register } = (event as CustomEvent<{ register(wallet: object): void }>).detail
      register({ name: 'Another wallet', features: {} })
      register(wallet)
    })
  })

  it('prefers the registered wallet to the injected provider', async () => {
    expect(phantom.isPresent()).toBe(true)
    expect(await phantom.connect('regtest')).toEqual(accounts)
    expect(await phantom.signMessage(ordinals, 'hello')).toBe('AQID')
    expect(await phantom.signPsbts([request, request], accounts)).toEqual([PSBT, PSBT])
    const input = {
      psbt: bytesOf(PSBT),
      chain: 'bitcoin:regtest',
      inputsToSign: [{ account: own[0], signingIndexes: [1], sigHash: 131 }],
    }
    expect(requested).toEqual([{ purposes: ['ordinals', 'payment'] }, input, input])
  })

  it('throws WalletUnconnected before connect', async () => {
    await expect(phantom.signPsbts([request], accounts)).rejects.toThrow(WalletUnconnected)
  })

  it('throws WalletRefused for malformed responses', async () => {
    await phantom.connect('regtest')
    for (const answer of [null, [], [{}], [{ signedPsbt: PSBT }]]) {
      wallet.features['bitcoin:signTransaction'] = { signTransaction: async () => answer }
      await expect(phantom.signPsbts([request], accounts)).rejects.toThrow(WalletRefused)
    }
    wallet.features['bitcoin:signTransaction'] = {
      signTransaction: () => Promise.reject(Object.assign(new Error('no'), { code: 4001 })),
    }
    await expect(phantom.signPsbts([request], accounts)).rejects.toThrow(WalletDeclined)
    wallet.features['bitcoin:connect'] = { connect: async () => ({ accounts: [own[0]] }) }
    await expect(phantom.connect('regtest')).rejects.toThrow('no ordinals and payment addresses')
  })

  it('reports an account change', async () => {
    let change: (change: unknown) => void = () => expect.unreachable()
    let isUnsubscribed = false
    wallet.features['standard:events'] = {
      on(event: string, listener: typeof change) {
        expect(event).toBe('change')
        change = listener
        return () => {
          isUnsubscribed = true
        }
      },
    }
    const reported: (string | null)[] = []
    const unsubscribe = phantom.onAccountChange!((address) => reported.push(address))
    for (const event of [{ chains: [] }, { accounts: own }, { accounts: [] }, null]) change(event)
    expect(reported).toEqual([ordinals.address, null])
    unsubscribe()
    await expect.poll(() => isUnsubscribed).toBe(true)
  })
})
