/**
 * All trades of the storefront. The page shows what the visitor agrees to, the SDK verifies every PSBT against it, and the review shows
 * what is signed. Loaded on the first trade.
 */
export * from './collection-offers.ts'
export * from './escrows.ts'
export * from './listings.ts'
export * from './offers.ts'
export * from './swaps.ts'
export type { Trading } from './trading.ts'
