import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'

/** The figures of the budgets (budgets.ts). */
export const DAY = 86_400_000
export const HISTORY = 30 * DAY

export const SHARES = { newWallets: 1 / 2, allWallets: 3 / 4, ended: 1 / 4 } as const
/** The part of the fees of a wallet's trades that covers its costs. */
export const COVERED = 1 / 2
/** A wallet has a history while its costs of 30 days are at most this many times the fees of its trades. */
export const HISTORY_FACTOR = 10

/**
 * The maximum cost of a transfer without its settlement: its anchor, and two more that return the inscription. It counts in full until a
 * buyer pays for the anchor.
 */
export const STRANDED_SATS = 3 * ANCHOR_SATS
/** Size of making an anchor and of spending it, in vB. The market pays these fees for an order that ends without a trade. */
export const ENDED_VSIZE = 43 + 57.5
