import { plural } from './plural.ts'

export const sweepTicket = {
  title: 'Sweep',
  of: (traits: string) => `Sweep of ${traits}`,
  slider: 'Number of items to sweep',
  count: 'Items',
  most: (most: number) => `At most ${most} in one transaction`,
  limit: 'Highest price',
  limitHint: 'Empty: any price.',
  clear: 'Clear the sweep',
  fewer: (found: number) => plural(found, { one: 'Only # item fits now.', other: 'Only # items fit now.' }),
  none: 'Nothing is for sale up to this price. The cart is unchanged.',
  failed: 'Could not reach the market. The cart is unchanged.',
} as const
