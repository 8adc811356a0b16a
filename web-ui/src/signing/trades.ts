/**
 * All trades of the storefront, loaded on the first trade. The SDK verifies every PSBT against the terms that the page showed, and the
 * review shows what is signed.
 */
export * from './collection-offers.ts'
export * from './escrows.ts'
export * from './listings.ts'
export * from './offers.ts'
export * from './swaps.ts'
export type { Trading } from './trading.ts'
