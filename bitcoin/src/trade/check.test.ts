import { expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from '../address.ts'
import { publicKeyOf } from '../keys.ts'
import { checkSettlement } from './check.ts'
import type { Layout } from './layout.ts'

const publicKey = publicKeyOf(new Uint8Array(32).fill(1))
const owner = scriptOfPublicKey(publicKey, 'p2tr')
const other = scriptOfPublicKey(publicKey, 'p2wpkh')

const layoutOf = (inputs: readonly number[], outputs: readonly number[], script = owner): Layout => ({
  version: 2,
  inputs: inputs.map((valueSats, vout) => ({
    role: vout === 0 ? 'inscription' : 'payment',
    coin: { txid: '11'.repeat(32), vout, valueSats, script: owner },
    signer: 'seller',
    spend: { by: 'key', ...keySpendOf(owner, publicKey) },
  })),
  outputs: outputs.map((valueSats, n) => ({
    role: n === 0 ? 'inscription' : 'change',
    valueSats,
    script: n === 0 ? script : other,
  })),
})
const check = (layout: Layout, feeSats = 1000) =>
  checkSettlement(layout, { inscriptionInputs: [0], ownerScript: owner, feeSats })

it('checkSettlement accepts an unchanged coin', () => {
  expect(() => check(layoutOf([10_000, 5000], [10_000, 4000]))).not.toThrow()
})

it.each([
  ['adds sats of another coin to the output', layoutOf([10_000, 5000], [10_001, 3999])],
  ['splits the coin', layoutOf([10_000, 5000], [9_999, 4001])],
  ['pays another script', layoutOf([10_000, 5000], [10_000, 4000], other)],
])('checkSettlement rejects a layout that %s', (_, layout) => {
  expect(() => check(layout)).toThrow('the sats of input 0 do not arrive in one output of the owner')
})

it('checkSettlement rejects a shifted coin', () => {
  const layout = layoutOf([10_000, 5000], [15_000])
  layout.inputs.reverse()
  expect(() => checkSettlement(layout, { inscriptionInputs: [1], ownerScript: owner, feeSats: 0 })).toThrow(
    'the sats of input 1 do not arrive in one output',
  )
})

it.each([999, 1001])('checkSettlement rejects a fee other than %i sats', (feeSats) => {
  expect(() => check(layoutOf([10_000, 5000], [10_000, 4000]), feeSats)).toThrow(
    `the fee is 1000 sats, expected ${feeSats}`,
  )
})

it('checkSettlement rejects dust', () => {
  expect(() => check(layoutOf([10_000, 5000], [10_000, 293]), 4707)).toThrow(
    'output 1 is below the dust limit',
  )
})
