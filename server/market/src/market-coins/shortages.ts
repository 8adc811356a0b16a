import type { Context } from '../context.ts'
import { allowanceLeft, endedLeft } from './budgets.ts'
import { poolOf } from './pool.ts'
import { STRANDED_SATS } from './shares.ts'

export interface Shortage {
  resource: 'anchors' | 'fee-coins' | 'funds' | 'new-wallet-allowance' | 'allowance' | 'ended-allowance'
  /** Effect on trades, and when it ends. */
  reason: string
}

/** Returns the coins and allowances that are used up, at `rate` sat/vB. */
export async function findShortages(
  context: Pick<Context, 'sql' | 'config' | 'clock'>,
  rate: number,
): Promise<Shortage[]> {
  const pool = await poolOf(context, rate)
  const until = pool.empty ? 'until the market is funded' : 'until the next block'
  const left = await allowanceLeft(context, context.sql)
  const { newWalletsSats, allWalletsSats } = left
  const candidates: [isShort: boolean, shortage: Shortage][] = [
    [
      pool.empty,
      {
        resource: 'funds',
        reason: `The market has no coin that it can split at ${rate} sat/vB. The operator must send it at least ${pool.split?.leastSats} sats, or better ${pool.split?.allSats}, in one output.`,
      },
    ],
    [
      pool.freeAnchors === 0,
      {
        resource: 'anchors',
        reason: `No anchor is free. New listings and counter-offers are rejected ${until}.`,
      },
    ],
    [
      pool.freeTails === 0,
      {
        resource: 'fee-coins',
        reason:
          pool.freeAnchors < 2
            ? `No fee coin is free. Purchases are rejected ${until}.`
            : `No tail coin is free. Purchases use pads and cost slightly more ${until}.`,
      },
    ],
    [
      allWalletsSats < STRANDED_SATS,
      {
        resource: 'allowance',
        reason:
          'The daily allowance is used up. Purchases that need a transfer are limited to wallets whose paid fees cover the risk.',
      },
    ],
    [
      allWalletsSats >= STRANDED_SATS && newWalletsSats < STRANDED_SATS,
      {
        resource: 'new-wallet-allowance',
        reason:
          'The daily allowance for new wallets is used up. Wallets that paid no fees in the last 30 days can only buy inscriptions in escrow.',
      },
    ],
    [
      (await endedLeft(left, context.sql, rate)) <= 0,
      {
        resource: 'ended-allowance',
        reason:
          'The daily allowance for ended orders is used up. Their anchors are spent later. Until then the market refuses to sign these orders.',
      },
    ],
  ]
  return candidates.flatMap(([isShort, shortage]) => (isShort ? [shortage] : []))
}
