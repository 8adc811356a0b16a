import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { exactBtc } from '../money/typed.ts'
import { type Agreement, itemsOf, type TradedItem } from './agreement.ts'
import type { Flow, FlowTable } from './flows.ts'

interface Billed {
  /** Total of the bill; negative if a side of a swap pays. Null for offers that may share coins. */
  totalSats: number | null
  /** Name of the market. */
  market: string
  /** Number of tables of the review. */
  tables: number
}

/** Explains how the rows of a table and the bill agree. */
export function reconciled(agreement: Agreement, table: FlowTable, billed: Billed): string {
  const { totalSats, market, tables } = billed
  const inBill = `${exactBtc(Math.abs(totalSats ?? table.costSats))}, as in the bill.`
  switch (agreement.kind) {
    case 'buy':
    case 'offer':
    case 'accept-counter':
      return `${boughtText(agreement, table, market)}: ${inBill}`
    case 'list':
      return `${payoutText(itemsOf(agreement))}: ${inBill} The buyer's own fees are not listed.`
    case 'accept':
    case 'counter':
      return `${payoutText([agreement.item])}: ${inBill}`
    case 'sell':
      return `The payout to you: ${inBill} The postage of ${exactBtc(postageOf([agreement.item]))} goes to the buyer with the item and is not paid back.`
    case 'swap':
      return `${postageText(agreement)}${totalSats ? `${swapText(table, totalSats)}: ${inBill}` : 'You pay and receive no BTC.'}`
    case 'bid':
      return tables === 1
        ? `All rows except your change: ${inBill}`
        : `All rows except your change: ${exactBtc(table.costSats)}, the most that this offer costs.`
    case 'withdraw':
      return `The postage stays yours, and ${market} pays the network fee. You pay ${inBill}`
    case 'move':
    case 'exit':
      return `The postage${hasChange(table) ? ' and the change stay' : ' stays'} yours. The network fee: ${inBill}`
    case 'split':
      return `${coinsText(table)}: ${inBill}`
  }
}

const satsOf = ({ flows }: FlowTable, is: (flow: Flow) => boolean) =>
  sumSats(flows.filter(is).map(({ sats }) => sats))
const isChange = ({ purpose }: Flow) => purpose === 'change'
const hasChange = (table: FlowTable) => satsOf(table, isChange) > 0
const postageOf = (items: readonly TradedItem[]) =>
  sumSats([...new Map(items.map(({ outpoint, valueSats }) => [outpoint, valueSats])).values()])

function boughtText(agreement: Agreement, table: FlowTable, market: string): string {
  const without = [
    ...(hasChange(table) ? ['your change'] : []),
    ...(table.marketSats > 0 ? [`the coins that ${market} put in`] : []),
  ].join(' and ')
  const brings = itemsOf(agreement).length === 1 ? "the item's coin brings" : 'the coins of the items bring'
  const less = table.broughtSats > 0 ? `, less the ${exactBtc(table.broughtSats)} that ${brings} in` : ''
  return `${without ? `All rows except ${without}` : 'All rows'}${less}`
}

const payoutText = (items: readonly TradedItem[]) =>
  `The payout to you, less the ${exactBtc(postageOf(items))} of postage that your coin brings in`

/** Postage is in the table, but not in the bill of a swap. */
function postageText({ gives, gets }: Extract<Agreement, { kind: 'swap' }>): string {
  const sides = [
    ...(gives.length > 0 ? [`give ${exactBtc(postageOf(gives))}`] : []),
    ...(gets.length > 0 ? [`receive ${exactBtc(postageOf(gets))}`] : []),
  ]
  return sides.length === 0
    ? ''
    : `Postage moves with the items and is not in the bill: you ${sides.join(' and ')}. `
}

function swapText(table: FlowTable, totalSats: number): string {
  const restSats = satsOf(
    table,
    ({ purpose, to }) =>
      purpose !== 'item' && purpose !== 'change' && purpose !== 'others-change' && to !== 'you',
  )
  if (totalSats < 0) return restSats === -totalSats ? 'The other rows except your change' : coinsText(table)
  const isPaidOut = table.flows.some(({ purpose, to }) => purpose === 'bitcoin' && to === 'you')
  const less = table.paidSats > 0 ? `, less your payment coins of ${exactBtc(table.paidSats)}` : ''
  return `${isPaidOut ? 'The BTC of the trade to you' : 'Your change'}${less}`
}

/** What the signer's payment coins lose. */
const coinsText = (table: FlowTable) =>
  `Your payment coins of ${exactBtc(table.paidSats)}, less your change of ${exactBtc(table.paidSats - table.costSats)}`
