import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { expect, it } from 'vitest'
import { exactBtc } from '../money/typed.ts'
import type { Agreement, TradedItem } from './agreement.ts'
import type { Flow, FlowTable } from './flows.ts'
import { reconciled } from './reconciled.ts'

const traded = (n: number, goes: TradedItem['goes']): TradedItem => ({
  inscriptionId: `${n}`,
  name: `Lamp #${n}`,
  contentType: null,
  collection: null,
  outpoint: `${n}:0`,
  offset: 0,
  valueSats: 10_000,
  carries: [],
  listedForSats: null,
  goes,
})
const flow = (purpose: Flow['purpose'], to: Flow['to'], sats: number): Flow => ({
  purpose,
  to,
  sats,
  script: null,
  inscriptionIds: [],
  outputs: 1,
})
const tableOf = (flows: Flow[], table: Partial<FlowTable> = {}): FlowTable => ({
  flows,
  paidSats: 0,
  costSats: 0,
  broughtSats: 0,
  marketSats: 0,
  feeSats: 0,
  ...table,
})
const item = (n: number, to: Flow['to']) => ({ ...flow('item', to, 10_000), inscriptionIds: [`${n}`] })
const swap = (sides: Partial<Extract<Agreement, { kind: 'swap' }>>): Agreement => ({
  kind: 'swap',
  gives: [],
  gets: [],
  netSats: 0,
  completes: false,
  endsAt: null,
  ...sides,
})
const text = (agreement: Agreement, table: FlowTable, totalSats: number | null, tables = 1) =>
  reconciled(agreement, table, { totalSats, market: 'ordbook', tables })
const sold = traded(0, 'leaves')
const kept = { items: [traded(0, 'stays')], maxNetworkSats: 500 }

const ACCEPT: [Agreement, FlowTable, number] = [
  swap({
    gives: [traded(9, 'leaves')],
    gets: [traded(1, 'arrives'), traded(2, 'arrives')],
    netSats: -40_000,
  }),
  tableOf(
    [
      item(1, 'you'),
      item(2, 'you'),
      item(9, 'trader'),
      flow('bitcoin', 'trader', 40_000),
      flow('change', 'you', 29_857_000),
      flow('network', 'miners', 888),
    ],
    { paidSats: 29_897_888, costSats: 40_888, broughtSats: 20_000, feeSats: 888 },
  ),
  -40_888,
]

it.each<[string, Agreement, FlowTable, number | null, string]>([
  [
    'a purchase',
    { kind: 'buy', bought: [{ item: traded(0, 'arrives'), priceSats: 97_000 }] },
    tableOf([flow('change', 'you', 29_788_706)], { broughtSats: 10_000, marketSats: 18_212 }),
    109_182,
    "All rows except your change and the coins that ordbook put in, less the 0.00010000 that the item's coin brings in: 0.00109182, as in the bill.",
  ],
  [
    'a listing',
    { kind: 'list', listed: [{ item: sold, priceSats: 120_000 }], isInEscrow: false, days: 30 },
    tableOf([flow('payout', 'you', 128_800)]),
    118_800,
    "The payout to you, less the 0.00010000 of postage that your coin brings in: 0.00118800, as in the bill. The buyer's own fees are not listed.",
  ],
  [
    'an accepted offer',
    { kind: 'accept', item: sold, priceSats: 64_000 },
    tableOf([flow('payout', 'you', 73_360)]),
    63_360,
    'The payout to you, less the 0.00010000 of postage that your coin brings in: 0.00063360, as in the bill.',
  ],
  [
    'a sale to a collection offer',
    { kind: 'sell', item: sold, priceSats: 60_000 },
    tableOf([flow('payout', 'you', 57_588)]),
    57_588,
    'The payout to you: 0.00057588, as in the bill. The postage of 0.00010000 goes to the buyer with the item and is not paid back.',
  ],
  [
    'an acceptance of a trade that pays',
    ...ACCEPT,
    'Postage moves with the items and is not in the bill: you give 0.00010000 and receive 0.00020000. The other rows except your change: 0.00040888, as in the bill.',
  ],
  [
    'a trade in which both sides spend coins',
    swap({ gets: [traded(1, 'arrives')], netSats: -40_000, completes: true }),
    tableOf([item(1, 'you'), flow('others-change', 'trader', 60_000), flow('change', 'you', 10_000)], {
      paidSats: 50_000,
      costSats: 40_000,
      broughtSats: 10_000,
      feeSats: 800,
    }),
    -40_000,
    'Postage moves with the items and is not in the bill: you receive 0.00010000. Your payment coins of 0.00050000, less your change of 0.00010000: 0.00040000, as in the bill.',
  ],
  [
    'a trade that pays out',
    swap({ gives: [sold], netSats: 40_000, completes: true }),
    tableOf([item(0, 'trader'), flow('bitcoin', 'you', 40_000)], { costSats: -40_000 }),
    40_000,
    'Postage moves with the items and is not in the bill: you give 0.00010000. The BTC of the trade to you: 0.00040000, as in the bill.',
  ],
  [
    'a trade without BTC',
    swap({ gives: [sold], gets: [traded(1, 'arrives')], completes: true }),
    tableOf([item(0, 'trader'), item(1, 'you')]),
    0,
    'Postage moves with the items and is not in the bill: you give 0.00010000 and receive 0.00010000. You pay and receive no BTC.',
  ],
  [
    'a withdrawal',
    { kind: 'withdraw', ...kept },
    tableOf([flow('home', 'you', 10_000)]),
    0,
    'The postage stays yours, and ordbook pays the network fee. You pay 0.00000000, as in the bill.',
  ],
  [
    'an exit',
    { kind: 'exit', ...kept },
    tableOf([flow('home', 'you', 10_000), flow('change', 'you', 9_000)], { feeSats: 400 }),
    400,
    'The postage and the change stay yours. The network fee: 0.00000400, as in the bill.',
  ],
  [
    'a split',
    { kind: 'split', ...kept },
    tableOf([flow('change', 'you', 9_000)], { paidSats: 9_900, costSats: 900 }),
    900,
    'Your payment coins of 0.00009900, less your change of 0.00009000: 0.00000900, as in the bill.',
  ],
  [
    'a collection offer',
    { kind: 'bid', about: 'Harbour Lamps', pricesSats: [50_000] },
    tableOf([flow('offer', 'escrow', 50_000), flow('change', 'you', 1_000)], { costSats: 50_000 }),
    null,
    'All rows except your change: 0.00050000, as in the bill.',
  ],
])('says how table and bill agree: %s', (_, agreement, table, totalSats, expected) => {
  expect(text(agreement, table, totalSats)).toBe(expected)
})

it('adds up in a trade without others’ coins', () => {
  const [agreement, table, totalSats] = ACCEPT
  const rest = table.flows.filter(({ purpose }) => purpose !== 'item' && purpose !== 'change')
  expect(text(agreement, table, totalSats)).toContain(exactBtc(sumSats(rest.map(({ sats }) => sats))))
})

it('states the cost of each of several collection offers', () => {
  const agreement: Agreement = { kind: 'bid', about: 'Harbour Lamps', pricesSats: [50_000, 40_000] }
  const table = tableOf([flow('offer', 'escrow', 40_000)], { costSats: 40_000 })
  expect(text(agreement, table, null, 2)).toBe(
    'All rows except your change: 0.00040000, the most that this offer costs.',
  )
})
