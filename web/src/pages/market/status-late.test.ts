import { expect, it } from 'vitest'
import { lateOf, stateOf } from './status-late.ts'
import { marketStatus as words } from './strings.ts'

type Status = Parameters<typeof lateOf>[0]

const FINE: Status = {
  trading: 'open',
  reason: null,
  notTraded: [],
  shortages: [],
  chain: 'main',
  indexHeight: 871_204,
  nodeHeight: 871_204,
  lagBlocks: 0,
  mempoolAgeSeconds: 2,
  mempoolTransactions: 9,
  feeRateSatVb: 2,
  node: 'ok',
  nodeAgeSeconds: 1,
  ord: 'ok',
  ordHeight: 871_204,
  unknown: [],
  utxos: null,
  sync: null,
  database: 'ok',
  databaseAgeSeconds: 0,
  indexFault: null,
  maintenance: null,
}

const LOADING = {
  state: 'loading',
  height: null,
  phase: 'reading',
  coinsRead: 45_000_000,
  coinsTotal: 180_000_000,
  percent: 25,
  secondsLeft: 290,
  reason: null,
} as const

it('describes the progress of coins and blocks', () => {
  expect(words.utxos(LOADING)).toBe('reading 45,000,000 of 180,000,000, 25 %, about 5 min left')
  expect(
    words.utxos({
      ...LOADING,
      phase: 'waiting',
      coinsRead: null,
      coinsTotal: null,
      percent: null,
      secondsLeft: null,
    }),
  ).toBe('waiting for the node')
  expect(words.utxos({ ...LOADING, state: 'ready', height: 871_204, phase: null })).toBe('block 871,204')
  expect(words.progress({ percent: 12.34, secondsLeft: 59 })).toBe('12.3 %, about 1 min left')
})

it('reports nothing if everything is up to date', () => {
  expect(lateOf(FINE)).toEqual([])
  expect(lateOf({ ...FINE, ord: null, ordHeight: null })).toEqual([])
  expect(stateOf(FINE, false)).toBe('Trading is open, and everything is up to date.')
})

it.each<[string, Partial<Status>, string[]]>([
  ['the index', { lagBlocks: 1 }, ['The index is 1 block behind the node.']],
  ['the mempool', { mempoolAgeSeconds: 75.4 }, ['The mempool was last read 75 s ago.']],
  ['an unread mempool', { mempoolAgeSeconds: null }, ['The mempool has not been read yet.']],
  [
    'a silent node',
    { node: 'unavailable', nodeAgeSeconds: 40 },
    ['The Bitcoin node is not responding. Its last response was 40 s ago.'],
  ],
  [
    'a silent database, and the mempool with it',
    { database: 'unavailable', databaseAgeSeconds: null, mempoolAgeSeconds: null },
    ['The database has not responded yet.'],
  ],
  ['the ord server', { ordHeight: 871_201 }, ['The ord server is 3 blocks behind the index.']],
  [
    'trades that the node refuses',
    { notTraded: [{ trade: 'collection-offers', reason: 'the node relays no such script' }] },
    ['Trading of collection offers is off: the node relays no such script.'],
  ],
  [
    'a block that cannot be indexed',
    {
      indexFault: {
        height: 871_205,
        blockHash: 'ab',
        txid: null,
        reason: 'a coin is missing',
        since: '2026-01-01',
      },
    },
    ['Block 871,205 cannot be indexed: a coin is missing. The market keeps retrying.'],
  ],
  [
    'a node that left the branch of the index',
    {
      nodeHeight: 871_202,
      indexFault: {
        height: 871_204,
        blockHash: 'ab',
        txid: null,
        reason: 'the chain was reorganized.',
        since: '2026-01-01',
      },
    },
    [
      'The index cannot follow the node: the chain was reorganized.',
      'The Bitcoin node is 2 blocks behind the index.',
    ],
  ],
  ['coins that are loading', { utxos: LOADING }, [expect.stringMatching(/are being loaded/)]],
  [
    'coins that cannot be loaded',
    { utxos: { ...LOADING, state: 'failed', phase: null, reason: 'the disk of PostgreSQL is full' } },
    ['The coins of addresses cannot be loaded: the disk of PostgreSQL is full.'],
  ],
])('reports %s', (_, change, expected) => {
  const now = { ...FINE, ...change }
  expect(lateOf(now)).toEqual(expected)
  expect(stateOf(now, true)).toBe('Trading is open, with delays:')
})

it('includes the reason for a pause', () => {
  const paused = { ...FINE, trading: 'paused', reason: 'the index is 9 blocks behind the node' } as const
  expect(stateOf(paused, true)).toBe('Trading is paused: the index is 9 blocks behind the node.')
})
