import type { Accounts } from '@ordbook/sdk/wallets/adapter.ts'
import { expect, it, onTestFinished } from 'vitest'
import { byHand, setHandWork } from './by-hand.ts'

const account = { address: 'an address', publicKey: 'a key' }
const accounts: Accounts = { ordinals: account, payment: account }
const requests = ['a', 'b', 'c'].map((psbtBase64) => ({ psbtBase64, inputsToSign: [] }))

it('stops after a wrong signature', async () => {
  const places: string[] = []
  setHandWork({
    accounts: async () => accounts,
    message: async () => 'a signature',
    psbt: async ({ psbtBase64 }, { number, of }) => {
      places.push(`${number} of ${of}`)
      return `${psbtBase64} signed`
    },
  })
  onTestFinished(() => setHandWork(null))
  expect(await byHand.signPsbts(requests, accounts)).toEqual(['a signed', 'b signed', 'c signed'])
  places.length = 0
  const signing = byHand.signPsbts(requests, accounts, (n, psbtBase64) => {
    if (n === 1) throw new Error(`${psbtBase64} wrongly`)
  })
  await expect(signing).rejects.toThrow('b signed wrongly')
  expect(places).toEqual(['1 of 3', '2 of 3'])
})
