import type { Effects } from '@ordbook/sdk/effects.ts'
import type { CoinProof } from '@ordbook/sdk/payment-coins.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { expect, it } from 'vitest'
import { coinProofOf, spentCoinsOf } from './own-coins.ts'

const txid = (byte: string) => byte.repeat(32)
const outpoint = (byte: string, vout = 0) => `${txid(byte)}:${vout}`

/** A transaction that spends coins of 10,000 sats. */
const spending = (byte: string, inputs: readonly [string, 'ordinals' | 'payment' | null][]) => ({
  txid: txid(byte),
  inputs: inputs.map(([name, own]): Effects['inputs'][number] => ({
    outpoint: name,
    own,
    valueSats: 10_000,
    script: new Uint8Array(),
    inscriptionIds: [],
    signed: true,
  })),
})

const unproven: CoinProof = async (coins) => ({
  plain: [],
  inscribed: [],
  unproven: coins.map((coin) => ({ coin, reason: 'for a test' })),
})
const unticked = async (...given: Parameters<typeof spentCoinsOf>) =>
  (await spentCoinsOf(...given)).filter(({ isUnproven }) => isUnproven).map((each) => each.outpoint)

it('lists each coin of the wallet once', async () => {
  const transactions = [
    spending('a1', [
      [outpoint('01'), 'payment'],
      [outpoint('02', 3), 'ordinals'],
      [outpoint('03'), null],
    ]),
    spending('a2', [[outpoint('01'), 'payment']]),
  ]
  expect(await spentCoinsOf(transactions, new Set([outpoint('02', 3)]), unproven)).toEqual([
    {
      outpoint: outpoint('01'),
      valueSats: 10_000,
      address: 'payment',
      inscriptionIds: [],
      isUnproven: true,
    },
    {
      outpoint: outpoint('02', 3),
      valueSats: 10_000,
      address: 'ordinals',
      inscriptionIds: [],
      isUnproven: false,
    },
  ])
})

it('trusts outputs of transactions in the review', async () => {
  const funding = spending('a1', [[outpoint('01'), 'ordinals']])
  const settlement = spending('a2', [[outpoint('a1', 1), 'ordinals']])
  expect(await unticked([funding, settlement], new Set(), unproven)).toEqual([outpoint('01')])
  expect(await unticked([settlement], new Set(), unproven)).toEqual([outpoint('a1', 1)])
})

it('rejects a coin that holds an inscription', async () => {
  const prove: CoinProof = async ([coin]) => ({
    plain: [],
    inscribed: [{ coin: coin!, inscriptionId: `${txid('ff')}i0`, offset: null }],
    unproven: [],
  })
  const transactions = [spending('a1', [[outpoint('01'), 'payment']])]
  await expect(spentCoinsOf(transactions, new Set(), prove)).rejects.toThrow('lists an inscription')
})

it('needs a proof only if both addresses are equal', async () => {
  const [adapter] = browserWallets
  const account = (address: string) => ({ address, publicKey: '02'.repeat(33) })
  const proofWith = (ordinals: string, payment: string) =>
    coinProofOf({
      adapter: adapter!,
      accounts: { ordinals: account(ordinals), payment: account(payment) },
      walletBindingId: '',
    })
  const coin = { txid: txid('01'), vout: 0, valueSats: 10_000 }
  expect((await proofWith('bc1pone', 'bc1qtwo')([coin])).plain).toEqual([coin])
  expect((await proofWith('bc1pone', 'BC1PONE')([coin])).unproven).toHaveLength(1)
})
