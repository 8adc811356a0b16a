import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { expect, it } from 'vitest'
import { reconnect } from './connect.ts'

const CHAIN = { chain: 'regtest', addressNetwork: 'regtest' } as const
const { first, second } = demoWallets('regtest')
const bindingOf = (walletBindingId: string, paymentAddress: string) => ({
  walletBindingId,
  ordinalsAddress: first.ordinalsAddress,
  paymentAddress,
})

it('accepts any payment address of the profile', async () => {
  const bindings = [bindingOf('elsewhere', second.paymentAddress), bindingOf('here', first.paymentAddress)]
  expect(await reconnect('test-first', CHAIN, bindings)).toMatchObject({ walletBindingId: 'here' })
})

it('rejects an unknown payment address', async () => {
  const bindings = [bindingOf('elsewhere', second.paymentAddress)]
  await expect(reconnect('test-first', CHAIN, bindings)).rejects.toThrow('switched to another account')
})
