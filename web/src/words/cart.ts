import type { CartChange } from '../cart-lines.ts'
import { money } from '../format.ts'
import { items } from './pages.ts'

const GONE: Record<string, string> = {
  sold: 'just sold. We took it out.',
  'being-bought': 'is being bought by another wallet. We took it out.',
  own: 'is yours. We took it out.',
}

/** The words of the cart. */
export const cart = {
  title: 'Cart',
  empty: 'Nothing in it yet',
  emptyText: 'Put listings in here and buy them in one transaction.',
  items,
  buy: 'Review and buy',
  remove: 'Remove',
  full: (most: number) => `The cart holds ${most} items. The rest was left out.`,
  purchases: (count: number) =>
    `${count} transactions: one for each collection and each 20 items. You sign one after the other.`,
  changed: ({ line, reason, priceSats }: CartChange) =>
    priceSats === null
      ? `${line.name} ${GONE[reason] ?? 'is no longer for sale. We took it out.'}`
      : `The price of ${line.name} went from ${money(line.priceSats)} to ${money(priceSats)}.`,
}
