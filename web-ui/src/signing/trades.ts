/**
 * Every trade of these pages, each as one step: the page shows what is agreed to, the SDK holds every PSBT against it, and the
 * review shows what is signed. Loaded when the first trade begins.
 */
export * from './collection-offers.ts'
export * from './escrows.ts'
export * from './listings.ts'
export * from './offers.ts'
export * from './swaps.ts'
export type { Trading } from './trading.ts'
