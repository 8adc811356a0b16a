import { plural } from './plural.ts'

/** Texts of a sweep in the cart. */
export const sweepTicket = {
  title: 'Sweep',
  of: (traits: string) => `Sweep of ${traits}`,
  slider: 'Items of the sweep',
  count: 'Items',
  most: (most: number) => `${most} at most in one transaction`,
  limit: 'Highest price',
  limitHint: 'Empty: any price.',
  clear: 'Clear the sweep',
  fewer: (found: number) => plural(found, { one: 'Only # item fits now.', other: 'Only # items fit now.' }),
  none: 'Nothing is for sale up to this price. The cart stays as it was.',
  failed: 'Could not reach the market. The cart stays as it was.',
} as const
