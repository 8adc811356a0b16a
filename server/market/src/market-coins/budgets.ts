import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import { settlementFeeRate } from '@ordbook/indexer/node/fee-rates.ts'
import type { Context } from '../context.ts'
import { countBeingSpent, findAccount, findDraws, lockBudgets } from './budget-queries.ts'
import { COVERED, DAY, ENDED_VSIZE, HISTORY, HISTORY_FACTOR, SHARES, STRANDED_SATS } from './shares.ts'

/**
 * Budgets for costs that others cause, read from the ledger. Two kinds of order cost the market sats: trades whose settlement is replaced
 * after their transfers are sent, and orders that end without a trade, because the market makes and spends their anchors.
 *
 * Half of the fees that a wallet paid in the last 30 days covers its costs; the other half pays for the growth of
 * the pool. What is not covered is drawn from STRANDING_ALLOWANCE_SATS, a day's amount, in shares: wallets are free, so wallets
 * that never paid a fee share one half, and cannot keep out wallets that did. Spending the anchors of ended orders has a quarter,
 * and waits once that is used up: no order is refused for it.
 */

/** Start of the day and of the history period for budgets. */
export const sinceOf = ({ clock }: Pick<Context, 'clock'>) => ({
  day: new Date(clock().getTime() - DAY),
  history: new Date(clock().getTime() - HISTORY),
})

export interface AllowanceLeft {
  /** Sats left for transfers of wallets without a history, and of all wallets. */
  newWalletsSats: number
  allWalletsSats: number
  /** Sats left for spending the anchors of ended orders. */
  endedSats: number
}

/** The rest of the shares of STRANDING_ALLOWANCE_SATS, in sats. */
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

/** The rest of the share for ended orders, less anchors that the market is spending. `rate`: the fee rate, in sat/vB. */
export async function endedLeft(
  { endedSats }: Pick<AllowanceLeft, 'endedSats'>,
  sql: Queryable,
  rate: number,
): Promise<number> {
  return endedSats - Math.ceil((await countBeingSpent(sql)) * ENDED_VSIZE * rate)
}

/** Rejects transfers that would exceed the budgets if they were stranded. Call it before they are signed. Throws conflict. */
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
  // The market loses nothing to a wallet that has paid more than it costs.
  if (moreSats === 0) return
  const later = 'Buy from escrow, make an offer, or retry later'
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

/** Rejects another transfer of a wallet whose ended orders cost too much. Throws conflict. */
export async function assertMayEnd(
  context: Pick<Context, 'config' | 'clock' | 'node'>,
  tx: Queryable,
  walletBindingId: string,
): Promise<void> {
  const { config } = context
  const { endedSats, ended } = await findAccount(tx, walletBindingId, sinceOf(context))
  const eachSats = ENDED_VSIZE * (await settlementFeeRate(context))
  const spentSats = Math.round(endedSats + ended * eachSats)
  if (spentSats > 0 && spentSats >= config.walletAllowanceSats)
    throw conflict(
      'listing-allowance-spent',
      `Failed listings and counter-offers of this wallet cost the market ${spentSats} sats in network fees in the last day. Retry later`,
    )
}
