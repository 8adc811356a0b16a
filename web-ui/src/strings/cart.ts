import { money } from '../format/format.ts'
import type { CartChange } from '../rules/cart-lines.ts'
import { items } from './pages.ts'

const GONE: Record<string, string> = {
  sold: 'just sold.',
  'being-bought': 'is being bought by another wallet.',
  own: 'is yours.',
}

export const cart = {
  title: 'Cart',
  empty: 'Your cart is empty',
  emptyText: 'Add listings to buy them in one transaction.',
  items,
  buy: 'Review and buy',
  remove: 'Remove',
  addToCart: 'Add to cart',
  inCart: 'In the cart',
  full: (most: number) => `The cart holds at most ${most} items. The other items were not added.`,
  fullPurchase: (most: number) =>
    `One transaction buys at most ${most} items of a collection. The other items were not added.`,
  purchases: (count: number) =>
    `${count} transactions: one for each collection. You sign one after the other.`,
  changed: ({ line, reason, priceSats }: CartChange, isReplaced: boolean) =>
    priceSats === null
      ? `${line.name} ${GONE[reason] ?? 'is no longer for sale.'} It was removed${isReplaced ? ', and the next cheapest item was added' : ''}.`
      : `The price of ${line.name} went from ${money(line.priceSats)} to ${money(priceSats)}.`,
}
