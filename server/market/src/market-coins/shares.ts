import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'

export const DAY = 86_400_000
export const HISTORY = 30 * DAY

export const SHARES = { newWallets: 1 / 2, allWallets: 3 / 4, ended: 1 / 4 } as const
/** Share of a wallet's fees that covers its costs. */
export const COVERED = 1 / 2
/** Maximum ratio of costs in 30 days to paid fees for a wallet with a history. */
export const HISTORY_FACTOR = 10

/** Maximum cost of a stranded transfer: its anchor and two more to return the inscription. */
export const STRANDED_SATS = 3 * ANCHOR_SATS
/** Size of creating and spending an anchor, in vB. */
export const ENDED_VSIZE = 43 + 57.5
