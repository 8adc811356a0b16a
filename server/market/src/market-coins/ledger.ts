import { sumSats } from '@ordbook/bitcoin/sats.ts'

/**
 * The books of the market's coins. A transaction is written down with its causes; the block that holds it books its effect on
 * the market's coins, to the sat. So the sum of the ledger equals the sum of the unspent coins.
 */
export const LEDGER_PURPOSES = {
  opening: 'Coins of a market that is older than its ledger.',
  funding: 'Someone paid the market.',
  revenue: 'Fees of a trade, less the refund.',
  refund: 'A buyer paid for the anchors of the transfers.',
  transfer: 'The anchor of a transfer. Without a refund the transfer was stranded.',
  split: 'Fee of making anchors and tail coins, charged to the orders that use them.',
  merge: 'Fee of merging surplus tail coins.',
  void: 'Fee of spending retired anchors.',
  bump: 'Fee of a CPFP child of a settlement.',
  recovery: 'Fee of returning an inscription.',
  reclaim: "The same, at the owner's request.",
  move: "The market's share of moving an inscription to a new escrow.",
  unexplained: 'Coins spent by a transaction that this market did not write: investigate.',
} as const
export type LedgerPurpose = keyof typeof LEDGER_PURPOSES

/** The cause of a transaction: one wallet and order, several, or the market itself (null). */
export interface Cause {
  purpose: LedgerPurpose
  walletBindingId: string | null
  orderId: string | null
  inscriptionId?: string | null
  /** The amount that is booked, in sats; null: an equal share of the rest. */
  sats?: number | null
}

/** The effect of a transaction of a block on the market's coins. */
export interface Effect {
  madeSats: number
  spentSats: number
  /** Share of the split fees of the coins that it spends. */
  costSats: number
}

export interface Entry extends Omit<Cause, 'sats'> {
  sats: number
}

/** The entries of a transaction: their sum is what it left the market with less what it took. */
export function entriesOf({ madeSats, spentSats, costSats }: Effect, causes: readonly Cause[]): Entry[] {
  const netSats = madeSats - spentSats
  const market = { walletBindingId: null, orderId: null }
  if (causes.length === 0)
    return [{ purpose: spentSats === 0 ? 'funding' : 'unexplained', ...market, sats: netSats }]
  const fixed = causes.flatMap((cause) => (cause.sats == null ? [] : [{ ...cause, sats: cause.sats }]))
  const rest = causes.filter((cause) => cause.sats == null)
  const restSats = netSats - sumSats(fixed.map((entry) => entry.sats))
  const entries: Entry[] = [
    ...fixed,
    ...(rest.length > 0
      ? shares(restSats, rest.length).map((sats, i) => ({ ...rest[i]!, sats }))
      : [{ purpose: 'unexplained' as const, ...market, sats: restSats }]),
  ]
  // Moves the cost of making the coins from the market to the wallets that used them.
  const users = rest.filter((cause) => cause.walletBindingId !== null)
  if (costSats > 0 && users.length > 0) {
    entries.push({ purpose: 'split', ...market, sats: costSats })
    for (const [i, sats] of shares(costSats, users.length).entries())
      entries.push({ ...users[i]!, purpose: 'split', sats: -sats })
  }
  return entries.filter((entry) => entry.sats !== 0)
}

/** Splits an amount into equal shares; the first gets the remainder. */
function shares(sats: number, count: number): number[] {
  const each = Math.trunc(sats / count)
  return Array.from({ length: count }, (_, i) => (i === 0 ? sats - each * (count - 1) : each))
}
