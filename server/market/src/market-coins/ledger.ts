import { sumSats } from '@ordbook/bitcoin/sats.ts'

/**
 * The ledger of the market's coins. A transaction is stored with its causes and booked when it confirms. The ledger's sum always equals the
 * sum of the unspent coins.
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
  explained: 'The same, after the operator has stated a reason.',
} as const
export type LedgerPurpose = keyof typeof LEDGER_PURPOSES

/** A wallet and order that caused a transaction. Null for the market. */
export interface Cause {
  purpose: LedgerPurpose
  walletBindingId: string | null
  orderId: string | null
  inscriptionId?: string | null
  /** Booked amount in sats. Default: an equal share of the rest. */
  sats?: number | null
}

export interface Effect {
  madeSats: number
  spentSats: number
  /** Shares of the fees that created its coins. */
  costSats: number
}

export interface Entry extends Omit<Cause, 'sats'> {
  sats: number
}

/** Returns a transaction's ledger entries. They sum to `madeSats - spentSats`. */
export function entriesOf({ madeSats, spentSats, costSats }: Effect, causes: readonly Cause[]): Entry[] {
  const netSats = madeSats - spentSats
  const market = { walletBindingId: null, orderId: null }
  if (causes.length === 0)
    return [{ purpose: spentSats === 0 ? 'funding' : 'unexplained', ...market, sats: netSats }]
  const fixed = causes.flatMap((cause) => (cause.sats == null ? [] : [{ ...cause, sats: cause.sats }]))
  const sharing = causes.filter((cause) => cause.sats == null)
  const remainingSats = netSats - sumSats(fixed.map((entry) => entry.sats))
  const entries: Entry[] = [
    ...fixed,
    ...(sharing.length > 0
      ? shares(remainingSats, sharing.length).map((sats, i) => ({ ...sharing[i]!, sats }))
      : [{ purpose: 'unexplained' as const, ...market, sats: remainingSats }]),
  ]
  // Charge the wallets for creating the coins they use. The market paid for it before.
  const users = sharing.filter((cause) => cause.walletBindingId !== null)
  if (costSats > 0 && users.length > 0) {
    entries.push({ purpose: 'split', ...market, sats: costSats })
    for (const [i, sats] of shares(costSats, users.length).entries())
      entries.push({ ...users[i]!, purpose: 'split', sats: -sats })
  }
  return entries.filter((entry) => entry.sats !== 0)
}

/** Splits an amount equally. The first share includes the remainder. */
function shares(sats: number, count: number): number[] {
  const share = Math.trunc(sats / count)
  return Array.from({ length: count }, (_, i) => (i === 0 ? sats - share * (count - 1) : share))
}
