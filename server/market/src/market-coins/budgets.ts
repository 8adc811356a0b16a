import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { countBeingSpent, findAccount, findDraws, lockBudgets } from './budget-queries.ts'
import { COVERED, DAY, ENDED_VSIZE, HISTORY, HISTORY_FACTOR, SHARES, STRANDED_SATS } from './shares.ts'

/**
 * Budgets for costs that wallets cause, computed from the ledger. Two kinds of order cost the market sats: trades whose settlement is
 * replaced after their transfers are sent, and orders that end without a trade, because the market creates and spends their anchors.
 *
 * Half of the fees that a wallet paid in the last 30 days covers its costs. The other half funds the coin pool. Uncovered costs are drawn
 * from the daily STRANDING_ALLOWANCE_SATS. Creating wallets is free, so wallets without paid fees are limited to half of the allowance and
 * cannot exhaust it for others. A quarter is reserved for spending the anchors of ended orders; when it is used up, spending waits and no
 * order is rejected.
 */

export const sinceOf = ({ clock }: Pick<Context, 'clock'>) => ({
  day: new Date(clock().getTime() - DAY),
  history: new Date(clock().getTime() - HISTORY),
})

export interface AllowanceLeft {
  /** For transfers of wallets without history, and of all wallets. */
  newWalletsSats: number
  allWalletsSats: number
  /** For spending the anchors of ended orders. */
  endedSats: number
}

/** Returns what is left of STRANDING_ALLOWANCE_SATS, in sats. */
export async function allowanceLeft(
  context: Pick<Context, 'config' | 'clock'>,
  sql: Queryable,
): Promise<AllowanceLeft> {
  const { strandingAllowanceSats: mostSats } = context.config
  const draws = await findDraws(sql, sinceOf(context))
  return {
    newWalletsSats: Math.floor(
      Math.min(
        mostSats * SHARES.newWallets - draws.newWalletsSats,
        mostSats * SHARES.allWallets - draws.allWalletsSats,
      ),
    ),
    allWalletsSats: Math.floor(mostSats * SHARES.allWallets - draws.allWalletsSats),
    endedSats: Math.floor(mostSats * SHARES.ended - draws.endedSats),
  }
}

/** Returns what is left for ended orders, less unconfirmed spends at `rate` sat/vB. */
export async function endedLeft(
  { endedSats }: Pick<AllowanceLeft, 'endedSats'>,
  sql: Queryable,
  rate: number,
): Promise<number> {
  return endedSats - Math.ceil((await countBeingSpent(sql)) * ENDED_VSIZE * rate)
}

/** Throws `conflict` if stranded transfers would exceed a budget. Call before signing. */
export async function assertMayStrand(
  context: Pick<Context, 'config' | 'clock'>,
  tx: Transaction,
  { walletBindingId, transfers }: { walletBindingId: string; transfers: number },
): Promise<void> {
  await lockBudgets(tx)
  const riskSats = transfers * STRANDED_SATS
  const { earnedSats, historySats, daySats, endedSats } = await findAccount(
    tx,
    walletBindingId,
    sinceOf(context),
  )
  const uncovered = (costSats: number) =>
    Math.max(0, Math.min(daySats + costSats, historySats + costSats - earnedSats * COVERED))
  const moreSats = uncovered(riskSats) - uncovered(0)
  if (moreSats === 0) return
  const later = 'Buy from escrow, make an offer or retry later.'
  if (uncovered(riskSats) + endedSats > context.config.walletAllowanceSats)
    throw conflict(
      'wallet-allowance-spent',
      `This wallet's unconfirmed purchases have reached the market's limit per wallet. ${later}`,
    )
  const left = await allowanceLeft(context, tx)
  const hasHistory = historySats + riskSats <= HISTORY_FACTOR * earnedSats
  if (moreSats > (hasHistory ? left.allWalletsSats : left.newWalletsSats))
    throw conflict(
      'market-allowance-spent',
      hasHistory
        ? `The market has reached its daily limit for purchases that may not settle. ${later}`
        : `The market has reached its daily limit for wallets that have not paid enough fees in the last 30 days. ${later}`,
    )
}

/** Throws `conflict` if a wallet's ended orders cost too much. */
export async function assertMayEnd(
  context: Pick<Context, 'config' | 'clock'>,
  tx: Queryable,
  { walletBindingId, feeRateSatVb }: { walletBindingId: string; feeRateSatVb: number },
): Promise<void> {
  const { config } = context
  const { endedSats, ended } = await findAccount(tx, walletBindingId, sinceOf(context))
  const satsPerAnchor = ENDED_VSIZE * feeRateSatVb
  const spentSats = Math.round(endedSats + ended * satsPerAnchor)
  if (spentSats > 0 && spentSats >= config.walletAllowanceSats)
    throw conflict(
      'listing-allowance-spent',
      `Listings and counter-offers of this wallet that ended without a trade cost the market ${spentSats} sats in network fees in the last day. Retry later.`,
    )
}
