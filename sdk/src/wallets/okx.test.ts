import { afterEach, expect, it } from 'vitest'
import { demoWallets } from '../demo-wallets.ts'
import { okx } from './okx.ts'

const { first } = demoWallets('testnet')
const account = { address: first.ordinalsAddress, publicKey: first.ordinalsPublicKey }
afterEach(() => Reflect.deleteProperty(globalThis, 'okxwallet'))

it.each([
  ['main', 'bitcoin'],
  ['regtest', 'bitcoin'],
  ['test', 'bitcoinTestnet'],
  ['signet', 'bitcoinSignet'],
])('on the chain %s, calls the provider %s', async (chain, expected) => {
  const calls: string[] = []
  const provider = (name: string) => ({
    connect: async () => {
      calls.push(name)
      return account
    },
    signMessage: async () => {
      calls.push(name)
      return 'AA=='
    },
  })
  const names = ['bitcoin', 'bitcoinTestnet', 'bitcoinSignet']
  Reflect.set(globalThis, 'okxwallet', Object.fromEntries(names.map((name) => [name, provider(name)])))
  const wallet = okx.forChain!(chain)
  await wallet.connect('testnet')
  await wallet.signMessage(account, 'hello')
  expect(calls).toEqual([expected, expected])
})

it('reports a missing provider', async () => {
  Reflect.set(globalThis, 'okxwallet', { bitcoin: {} })
  expect(okx.isPresent()).toBe(true)
  await expect(okx.forChain!('signet').connect('testnet')).rejects.toThrow(
    'The wallet has no okxwallet.bitcoinSignet. Update the wallet.',
  )
})
