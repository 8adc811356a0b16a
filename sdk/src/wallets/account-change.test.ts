import { EventEmitter } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { browserWallets } from './browser-wallets.ts'

const PLACES = ['XverseProviders', 'okxwallet', 'phantom', 'unisat']
afterEach(() => {
  for (const place of PLACES) Reflect.deleteProperty(globalThis, place)
})

/** Xverse's `addListener` returns the function that removes the listener. */
function likeSatsConnect(emitter: EventEmitter) {
  return {
    addListener({ eventName, cb }: { eventName: string; cb(detail: unknown): void }) {
      emitter.on(eventName, cb)
      return () => emitter.off(eventName, cb)
    },
  }
}
const payment = { purpose: 'payment', address: 'bc1qpay' }
const ordinals = { purpose: 'ordinals', address: 'bc1pnew' }

/** Documented account events of wallets, and the accounts that the adapter reports. */
const EVENTS: readonly (readonly [
  id: string,
  chain: string,
  provide: (emitter: EventEmitter) => readonly [place: string, provider: unknown],
  event: string,
  cases: readonly (readonly [detail: unknown, addresses: readonly (string | null)[]])[],
])[] = [
  [
    'unisat',
    'main',
    (emitter) => ['unisat', emitter],
    'accountsChanged',
    [
      [['bc1pnew'], ['bc1pnew']],
      [[], []],
      [undefined, []],
    ],
  ],
  [
    'okx',
    'main',
    (emitter) => ['okxwallet', { bitcoin: emitter }],
    'accountChanged',
    [
      [{ address: 'bc1pnew', publicKey: '00' }, ['bc1pnew']],
      [null, [null]],
    ],
  ],
  [
    'okx',
    'signet',
    (emitter) => ['okxwallet', { bitcoin: new EventEmitter(), bitcoinSignet: emitter }],
    'accountChanged',
    [[{ address: 'tb1pnew' }, ['tb1pnew']]],
  ],
  [
    'phantom',
    'main',
    (emitter) => ['phantom', { bitcoin: emitter }],
    'accountsChanged',
    [
      [[payment, ordinals], ['bc1pnew']],
      [[], [null]],
    ],
  ],
  [
    'xverse',
    'main',
    (emitter) => ['XverseProviders', { BitcoinProvider: likeSatsConnect(emitter) }],
    'accountChange',
    [
      [{ type: 'accountChange', addresses: [payment, ordinals] }, ['bc1pnew']],
      [{ type: 'accountChange' }, [null]],
      ['garbage', [null]],
    ],
  ],
]

it.each(EVENTS)('%s on %s reports an account change', async (id, chain, provide, event, cases) => {
  const emitter = new EventEmitter()
  const [place, provider] = provide(emitter)
  Reflect.set(globalThis, place, provider)
  const adapter = browserWallets.find((wallet) => wallet.id === id)!
  const wallet = adapter.forChain?.(chain) ?? adapter
  for (const [detail, addresses] of cases) {
    const reported: (string | null)[] = []
    const unsubscribe = wallet.onAccountChange!((address) => reported.push(address))
    emitter.emit(event, detail)
    expect(reported).toEqual(addresses)
    unsubscribe()
    await expect.poll(() => emitter.listenerCount(event)).toBe(0)
  }
})

it('onAccountChange ignores wallets without events', () => {
  Reflect.set(globalThis, 'unisat', {})
  Reflect.set(globalThis, 'XverseProviders', { BitcoinProvider: {} })
  for (const wallet of browserWallets) wallet.onAccountChange?.(() => expect.unreachable())()
})
