import { expect, it } from 'vitest'
import { lateOf, stateOf } from './status-late.ts'

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
  node: 'ok',
  nodeAgeSeconds: 1,
  ord: 'ok',
  ordHeight: 871_204,
  database: 'ok',
  databaseAgeSeconds: 0,
  indexFault: null,
  maintenance: null,
}

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
])('reports %s', (_, change, expected) => {
  const now = { ...FINE, ...change }
  expect(lateOf(now)).toEqual(expected)
  expect(stateOf(now, true)).toBe('Trading is open, with delays:')
})

it('includes the reason for a pause', () => {
  const paused = { ...FINE, trading: 'paused', reason: 'the index is 9 blocks behind the node' } as const
  expect(stateOf(paused, true)).toBe('Trading is paused: the index is 9 blocks behind the node.')
})
