import { expect, it } from 'vitest'
import { configOf } from './config.ts'
import { UsageError } from './failure.ts'
import { rejectOldNode, runsOf } from './operator.ts'
import { Arguments } from './verb.ts'
import { targetOf } from './verbs/bid.ts'

it('groups traits by type', () => {
  expect(targetOf([])).toEqual({ kind: 'all' })
  expect(targetOf(['Hat=Cap', 'Eyes=a=b', 'Hat=None'])).toEqual({
    kind: 'traits',
    traits: [
      { type: 'Hat', values: ['Cap', 'None'] },
      { type: 'Eyes', values: ['a=b'] },
    ],
  })
  expect(() => targetOf(['Hat='])).toThrow('expected TYPE=VALUE')
})

it('rejects invalid and duplicate inscription ids', () => {
  const id = `${'0'.repeat(64)}i0`
  expect(new Arguments([id], {}).ids()).toEqual([id])
  expect(() => new Arguments([], {}).ids()).toThrow('is missing')
  expect(() => new Arguments([id, id], {}).ids()).toThrow('given more than once')
  expect(() => new Arguments(['lamp'], {}).ids()).toThrow('lamp is not an inscription id')
})

it('rejects a word that is not a txid', () => {
  const txid = 'AB'.repeat(32)
  expect(new Arguments([txid], {}).txid('the txid')).toBe(txid.toLowerCase())
  for (const word of ['abc', `${txid}i0`])
    expect(() => new Arguments([word], {}).txid('the txid')).toThrow(UsageError)
})

it('parses an inscription with an offer, and inscriptions with prices', () => {
  const id = `${'0'.repeat(64)}i0`
  const offerId = '3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58'
  expect(new Arguments([id, offerId], {}).order()).toEqual({ inscriptionId: id, offerId })
  for (const words of [[], [id], [offerId, id], [id, 'offer'], [id, offerId, id]])
    expect(() => new Arguments(words, {}).order()).toThrow(UsageError)
  expect(new Arguments([`${id}=5_000`], {}).prices()).toEqual([{ id, priceSats: 5000 }])
  for (const words of [[], [id], [`${id}=1=2`], ['lamp=1'], [`${id}=1`, `${id}=2`]])
    expect(() => new Arguments(words, {}).prices()).toThrow(UsageError)
  const many = Array.from({ length: 21 }, (_, n) => `${'0'.repeat(64)}i${n}=1`)
  expect(() => new Arguments(many, {}).prices()).toThrow('at most 20')
})

it('parses a fee rate in decimal notation only', () => {
  const rateOf = (text: string) => new Arguments([], { 'fee-rate': text }).feeRate()
  expect(['1', '0.5', '12.125', '10000'].map(rateOf)).toEqual([1, 0.5, 12.125, 10_000])
  for (const text of ['', '0', '0x10', '0b11', '1e3', ' 5 ', '1e-9', '.5', '5.', '1.0001', '10000.1', '-1'])
    expect(() => rateOf(text)).toThrow('--fee-rate: expected a rate')
})

it('rejects unknown settings', () => {
  const market = 'https://market.example/collection/lamps'
  expect(configOf({ market, maxFeeBps: 100 }, 'file')).toEqual({
    market: 'https://market.example',
    ord: null,
    wallet: null,
    node: null,
    maxFeeBps: 100,
    maxNetworkSats: 50_000,
  })
  for (const [value, reason] of [
    [{ market, maxFeesBps: 100 }, 'maxFeesBps is unknown'],
    [{ market, maxFeeBps: -1 }, 'maxFeeBps is -1'],
    [{ market: 'market.example' }, 'market is "market.example"'],
    [{ market, wallet: { kind: 'seed' } }, 'wallet: file is undefined'],
    [{ market, wallet: { kind: 'seed', file: 'a', words: 'b' } }, 'words is unknown'],
    [{ market, wallet: { kind: 'core', url: 'http://x', cookieFile: 1 } }, 'cookieFile is 1'],
  ] as const)
    expect(() => configOf(value, 'file')).toThrow(reason)
})

it('does not print user names and passwords of a setting', () => {
  const market = 'https://market.example'
  const messageOf = (settings: object) => {
    try {
      configOf({ market, ...settings }, 'file')
    } catch (error) {
      return (error as Error).message
    }
  }
  const url = ' is "http://…@127.0.0.1:8332", expected '
  expect(messageOf({ node: 'http://user:pass word@127.0.0.1:8332' })).toContain(`file: node${url}`)
  expect(messageOf({ node: 'user:p"ss@word@127.0.0.1:8332' })).toContain('node is "…@127.0.0.1:8332"')
  expect(messageOf({ node: { url: 'http://user:pass@127.0.0.1:8332' } })).toContain(
    'node is {"url":"http://…@127.0.0.1:8332"}',
  )
  expect(messageOf({ wallet: { kind: 'core', url: 'http://user:pass word@127.0.0.1:8332' } })).toContain(
    `url${url}`,
  )
})

it('maps operator commands to programs', () => {
  expect(runsOf(['pool', 'fund', '1000'])).toEqual([['operate', 'pool', 'fund', '1000']])
  expect(runsOf(['check'])).toHaveLength(2)
  expect(runsOf(['signer'])).toEqual([['signer']])
  expect(runsOf(['backup', 'a'])).toEqual([['backup', 'a']])
  expect(runsOf(['export', 'a'])).toEqual([['order-log', 'export', 'a']])
  expect(runsOf(['demo', 'trade'])).toEqual([['demo', 'trade']])
  expect(runsOf(['mirror', 'a', 'b'])).toEqual([['order-log', 'mirror', 'a', 'b']])
  expect(() => runsOf(['__proto__'])).toThrow('unknown')
})

it('rejects an unsupported Node version', () => {
  for (const version of ['22.12.0', '22.23.3', '24.0.0']) expect(() => rejectOldNode(version)).not.toThrow()
  for (const version of ['20.20.2', '22.11.0'])
    expect(() => rejectOldNode(version)).toThrow('requires Node 22.12')
})
