import type { Answer } from '@ordbook/sdk/operations.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { plural } from '@ordbook/web-ui/strings/plural.ts'

const blocks = (number: number) => plural(number, { one: '# block', other: '# blocks' })
const seconds = (age: number) => `${Math.round(age)} s ago`
const minutes = (left: number | null) =>
  left === null ? '' : `, about ${count(Math.ceil(left / 60))} min left`
type Utxos = NonNullable<Answer<'getStatus'>['utxos']>
const PHASES = { waiting: 'waiting for the node', reading: 'reading', indexing: 'indexing' }
const share = (percent: number | null) => (percent === null ? '' : `, ${Math.floor(percent)} %`)
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
  utxosLoading: 'The coins of addresses are being loaded. Until then, wallets cannot be looked up.',
  utxosFailed: (reason: string) => `The coins of addresses cannot be loaded: ${reason}.`,
  utxos: ({ state, height, phase, coinsRead, coinsTotal, percent, secondsLeft }: Utxos) => {
    if (height !== null) return `block ${count(height)}`
    if (phase === null) return state
    const coins = coinsTotal === null ? '' : ` ${count(coinsRead!)} of ${count(coinsTotal)}`
    return `${PHASES[phase]}${coins}${share(percent)}${minutes(secondsLeft)}`
  },
  progress: ({ percent, secondsLeft }: { percent: number; secondsLeft: number | null }) =>
    `${percent.toFixed(1)} %${minutes(secondsLeft)}`,
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
    sync: 'Chain read',
    utxos: 'Coins of addresses',
    unknown: 'Not known here',
  },
  unknown: {
    'sat-numbers': 'sat numbers',
    runes: 'runes in coins',
    'rare-sats': 'rare sats of early blocks',
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
