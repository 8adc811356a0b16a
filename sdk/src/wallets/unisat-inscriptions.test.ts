import { afterEach, expect, it } from 'vitest'
import { proveByWallet } from '../payment-coins.ts'
import { okx } from './okx.ts'
import { unisat } from './unisat.ts'

const address = 'bc1pown'
const idOf = (n: number) => `${n.toString(16).padStart(64, '0')}i0`
const rowOf = (n: number) => ({ inscriptionId: idOf(n), output: `${'ab'.repeat(32)}:${n}` })
const coinOf = (vout: number) => ({ txid: 'ab'.repeat(32), vout, valueSats: 10_000 })

const WALLETS = [
  ['UniSat', unisat, (provider: object) => Reflect.set(globalThis, 'unisat', provider)],
  ['OKX', okx, (bitcoin: object) => Reflect.set(globalThis, 'okxwallet', { bitcoin })],
] as const
afterEach(() => {
  for (const place of ['unisat', 'okxwallet']) Reflect.deleteProperty(globalThis, place)
})

/** A wallet with `count` inscriptions, at most 30 per page. */
const listing = (count: number, more: object = {}) => ({
  getAccounts: async () => [address],
  getInscriptions: async (cursor: number, size: number) => ({
    total: count,
    list: Array.from({ length: Math.max(0, Math.min(size, 30, count - cursor)) }, (_, n) =>
      rowOf(cursor + n),
    ),
  }),
  ...more,
})

it.each(WALLETS)('%s groups inscriptions by coin', async (_, wallet, provide) => {
  provide(listing(250))
  const found = await wallet.inscriptionsAt!(address)
  expect(found?.size).toBe(250)
  expect(found?.get(rowOf(249).output)).toBe(idOf(249))
  const proof = await proveByWallet(wallet, address)([coinOf(7), coinOf(250)])
  expect(proof).toEqual({
    plain: [coinOf(250)],
    inscribed: [{ coin: coinOf(7), inscriptionId: idOf(7), offset: null }],
    unproven: [],
  })
})

/** Providers whose lists prove nothing. */
const INCOMPLETE: [string, object][] = [
  ['an older version without the call', {}],
  ['another account', listing(3, { getAccounts: async () => ['bc1pother'] })],
  [
    'an account that changes during the listing',
    listing(3, { getAccounts: accountsOf(address, 'bc1pother') }),
  ],
  ['a list that ends early', listing(3, { getInscriptions: async () => ({ total: 3, list: [] }) })],
  ['the same page again', listing(60, { getInscriptions: async () => ({ total: 60, list: page(30) }) })],
  ['a list that grows', listing(3, { getInscriptions: growing() })],
  ['more inscriptions than the limit', listing(20_000)],
  ['a list without a count', listing(3, { getInscriptions: async () => ({ list: page(3) }) })],
  [
    'a list without coins',
    listing(1, { getInscriptions: async () => ({ total: 1, list: [{ inscriptionId: idOf(0) }] }) }),
  ],
  [
    'a text that is not an outpoint',
    listing(1, { getInscriptions: async () => ({ total: 1, list: [{ ...rowOf(0), output: 'ab:0' }] }) }),
  ],
  ['an error', listing(1, { getInscriptions: () => Promise.reject(new Error('locked')) })],
]

it.each(INCOMPLETE)('leaves every coin unproven for %s', async (_, provider) => {
  Reflect.set(globalThis, 'unisat', provider)
  const { plain, unproven } = await proveByWallet(unisat, address)([coinOf(0), coinOf(9)])
  expect(plain).toEqual([])
  expect(unproven).toHaveLength(2)
})

it('leaves every coin unproven without the call', async () => {
  const { plain, unproven } = await proveByWallet({}, address)([coinOf(0)])
  expect([plain, unproven.length]).toEqual([[], 1])
})

function page(count: number) {
  return Array.from({ length: count }, (_, n) => rowOf(n))
}

function accountsOf(...accounts: string[]) {
  return async () => [accounts.shift()]
}

function growing() {
  let total = 40
  return async (cursor: number) => ({ total: total++, list: cursor === 0 ? page(30) : page(40).slice(30) })
}
