import { count } from '../format/format.ts'
import { plural } from './plural.ts'

const sales = (number: number) => plural(number, { one: '# sale', other: '# sales' })

export const charts = {
  floor: 'Floor and sales',
  volume: 'Volume',
  window: 'Period',
  windows: { 1: '24 h', 7: '7 d', 30: '30 d', 90: '90 d', 365: '1 y' } as Record<number, string>,
  keys: {
    time: 'Use the arrow keys to move through time.',
    rank: 'Use the arrow keys to move through the ranks.',
  },
  none: 'Nothing was for sale in this period.',
  at: (time: string, parts: readonly string[]) => [time, ...parts].join(' · '),
  floorAt: (price: string) => `Floor ${price}`,
  noFloor: 'Nothing for sale',
  saleAt: (price: string) => `Sale ${price}`,
  volumeAt: (volume: string, number: number) => (number === 0 ? 'No sales' : `${volume}, ${sales(number)}`),
  sum: (volume: string, number: number) => (number === 0 ? 'No sales' : `${volume} in ${sales(number)}`),
  asks: 'Listed by price',
  noAsks: 'Nothing is listed now.',
  range: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
  from: (price: string) => `${price} and more`,
  asksAt: (prices: string, items: number) =>
    `${prices} · ${plural(items, { one: '# item', other: '# items' })}`,
  prices: 'Price history',
  floorLine: 'Collection floor',
  ownSales: 'Sales of this item',
  otherSales: 'Sales of others',
  otherSaleAt: (price: string) => `Another item sold for ${price}`,
  hours: 'Sales by hour',
  hoursOf: (number: number, isAll: boolean) =>
    `${isAll ? sales(number) : `The latest ${count(number)} sales`} in this period, in your time zone`,
  noSales: 'No sales in this period.',
  hour: 'Hour',
  hourAt: (hour: number) => `${String(hour).padStart(2, '0')}:00`,
  salesAt: (name: string, number: number) => `${name} · ${sales(number)}`,
  sales: 'Sales',
  ranks: 'Rank against price',
  noRanks: 'No ranked item is listed or was sold.',
  rank: 'Rank',
  listed: 'Listed',
  sold: 'Sold',
  rankAt: (rank: number) => `Rank ${count(rank)}`,
  listedFor: (price: string) => `Listed for ${price}`,
  soldFor: (price: string) => `Sold for ${price}`,
  table: 'As a table',
  time: 'Time',
  price: 'Price',
  holders: 'Holders',
  holdersOf: (owners: number, items: number) =>
    `${plural(owners, { one: '# owner holds', other: '# owners hold' })} ${plural(items, { one: '# item', other: '# items' })}`,
  unowned: (items: number) =>
    `${plural(items, { one: '# item has', other: '# items have' })} no owner yet: not indexed, or unbound.`,
  held: 'Items held',
  owners: 'Owners',
  items: 'Items',
  share: 'Share of all items',
  size: (least: number, most: number | null) =>
    most === least
      ? count(least)
      : most === null
        ? `${count(least)} or more`
        : `${count(least)} to ${count(most)}`,
  largest: 'Largest holders',
  holder: 'Holder',
  unnamed: 'Script without an address',
} as const
