import { count } from '@ordbook/web-ui/format/format.ts'
import { plural } from '@ordbook/web-ui/strings/plural.ts'

const blocks = (number: number) => plural(number, { one: '# block', other: '# blocks' })
const seconds = (age: number) => `${Math.round(age)} s ago`
const TRADES: Record<string, string> = {
  listings: 'listings',
  counters: 'counter-offers',
  'collection-offers': 'collection offers',
}

export const marketStatus = {
  title: 'Market status',
  open: 'Trading is open, and everything is up to date.',
  openLate: 'Trading is open, with delays:',
  paused: (reason: string) => `Trading is paused: ${reason}.`,
  late: 'Delays',
  noAnswer: (name: string, age: number | null) =>
    age === null
      ? `${name} has not responded yet.`
      : `${name} is not responding. Its last response was ${seconds(age)}.`,
  fault: (height: number, reason: string) =>
    `Block ${count(height)} cannot be indexed: ${reason}. The market keeps retrying.`,
  left: (reason: string) => `The index cannot follow the node: ${reason}`,
  nodeBehind: (lag: number) => `The Bitcoin node is ${blocks(lag)} behind the index.`,
  behindNode: (lag: number) => `The index is ${blocks(lag)} behind the node.`,
  behindIndex: (lag: number) => `The ord server is ${blocks(lag)} behind the index.`,
  mempoolUnread: 'The mempool has not been read yet.',
  mempoolRead: (age: number) => `The mempool was last read ${seconds(age)}.`,
  untraded: (trade: string, reason: string) => `Trading of ${TRADES[trade] ?? trade} is off: ${reason}.`,
  parts: { node: 'The Bitcoin node', database: 'The database', ord: 'The ord server' },
  details: 'Details',
  notKnown: 'unknown',
  notYet: 'not yet',
  ago: seconds,
  rows: {
    chain: 'Chain',
    index: 'Index height',
    node: 'Node height',
    lag: 'Blocks behind',
    mempool: 'Mempool read',
    transactions: 'Transactions in it',
    nodeState: 'Node',
    database: 'Database',
    ord: 'ord server',
  },
  fees: 'Fees',
  seller: 'Seller fee',
  buyer: 'Buyer fee',
  fill: 'Collection-offer fee',
  trade: 'Trade fee',
  sats: (sats: number) => `${count(sats)} sats`,
  keys: 'Keys',
  keysWhy: 'If you see different keys, this is a different market.',
  cosign: 'Co-sign key',
  guardian: 'Guardian key',
  address: 'Market address',
} as const
