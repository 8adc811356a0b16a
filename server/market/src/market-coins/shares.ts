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
 * The most that a transfer without its settlement costs: its anchor, and two that pay for bringing the inscription back. It
 * counts whole until a buyer gives the anchor back, whether the inscription comes home or not.
 */
export const STRANDED_SATS = 3 * ANCHOR_SATS
/** Size of an anchor's making and of its spending, in vB: the market pays its fee for an order that comes to nothing. */
export const ENDED_VSIZE = 43 + 57.5
