import type { Context } from '../context.ts'
import { allowanceLeft, endedLeft } from './budgets.ts'
import { poolOf } from './pool.ts'
import { STRANDED_SATS } from './shares.ts'

export interface Shortage {
  resource: 'anchors' | 'fee-coins' | 'funds' | 'new-wallet-allowance' | 'allowance' | 'ended-allowance'
  /** The consequence for trades, and when it ends. */
  reason: string
}

/** The market's coins and allowances that are used up now. `rate`: the fee rate, in sat/vB. */
export async function findShortages(
  context: Pick<Context, 'sql' | 'config' | 'clock'>,
  rate: number,
): Promise<Shortage[]> {
  const pool = await poolOf(context, rate)
  const left = await allowanceLeft(context, context.sql)
  const { newWalletsSats, allWalletsSats } = left
  const found: [isShort: boolean, shortage: Shortage][] = [
    [
      pool.low && pool.largeSats === 0,
      {
        resource: 'funds',
        reason: 'The market has no coin left to split: its operator has to send it funds',
      },
    ],
    [
      pool.freeAnchors === 0,
      {
        resource: 'anchors',
        reason: 'No anchor is free: new listings and counters are refused until the next block',
      },
    ],
    [
      pool.freeTails === 0,
      {
        resource: 'fee-coins',
        reason:
          pool.freeAnchors < 2
            ? 'No fee coin is free: purchases are refused until the next block'
            : 'No tail coin is free: purchases use pads and cost a little more until the next block',
      },
    ],
    [
      allWalletsSats < STRANDED_SATS,
      {
        resource: 'allowance',
        reason:
          'The allowance of the day is used up: only wallets whose fees cover the risk buy what needs a transfer',
      },
    ],
    [
      allWalletsSats >= STRANDED_SATS && newWalletsSats < STRANDED_SATS,
      {
        resource: 'new-wallet-allowance',
        reason:
          'The share of new wallets in the allowance of the day is used up: wallets that paid no fees in the last 30 days buy only what is in escrow',
      },
    ],
    [
      (await endedLeft(left, context.sql, rate)) <= 0,
      {
        resource: 'ended-allowance',
        reason:
          'The share for ended orders in the allowance of the day is used up: their anchors are spent later, and the market refuses to sign until then',
      },
    ],
  ]
  return found.flatMap(([isShort, shortage]) => (isShort ? [shortage] : []))
}
