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
])('uses the provider of the chain: on %s, %s', async (chain, own) => {
  const asked: string[] = []
  const provider = (name: string) => ({
    connect: async () => {
      asked.push(name)
      return account
    },
    signMessage: async () => {
      asked.push(name)
      return 'AA=='
    },
  })
  const names = ['bitcoin', 'bitcoinTestnet', 'bitcoinSignet']
  Reflect.set(globalThis, 'okxwallet', Object.fromEntries(names.map((name) => [name, provider(name)])))
  const wallet = okx.forChain!(chain)
  await wallet.connect('testnet')
  await wallet.signMessage(account, 'hello')
  expect(asked).toEqual([own, own])
})

it('names the provider that an earlier version lacks', async () => {
  Reflect.set(globalThis, 'okxwallet', { bitcoin: {} })
  expect(okx.isPresent()).toBe(true)
  await expect(okx.forChain!('signet').connect('testnet')).rejects.toThrow(
    'the wallet has no okxwallet.bitcoinSignet: update it',
  )
})
