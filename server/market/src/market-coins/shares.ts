import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'

export const DAY = 86_400_000
export const HISTORY = 30 * DAY

export const SHARES = { newWallets: 1 / 2, allWallets: 3 / 4, ended: 1 / 4 } as const
/** Share of a wallet's paid fees that covers its costs. */
export const COVERED = 1 / 2
/** A wallet has a history if its costs in 30 days are at most this many times its paid fees. */
export const HISTORY_FACTOR = 10

/**
 * Maximum cost of a transfer without its settlement: its anchor and two anchors to return the inscription. Counts in full until a buyer
 * refunds the anchor.
 */
export const STRANDED_SATS = 3 * ANCHOR_SATS
/** Size of creating and spending an anchor, in vB. The market pays both fees for an order that ends without a trade. */
export const ENDED_VSIZE = 43 + 57.5
