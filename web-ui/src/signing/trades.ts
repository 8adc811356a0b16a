/** All trades, loaded on first use. */
export * from './collection-offers.ts'
export * from './escrows.ts'
export * from './listings.ts'
export * from './offers.ts'
export * from './split.ts'
export * from './swaps.ts'
export type { Trading } from './trading.ts'
