import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { FeeCoins } from '@ordbook/bitcoin/trade/purchase.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { type Charge, nameAnchors, nameTail } from '../market-coins/grants.ts'

/** A source of the fee coins of a settlement. */
export interface FeeCoinPool {
  /** A coin that can carry `feeSats`. */
  nameTail(feeSats: number): Promise<Coin>
  namePads(count: number): Promise<Coin[]>
}

/** The market's own coins. */
export const marketPool = (context: Context, charge: Charge): FeeCoinPool => ({
  nameTail: (feeSats) => nameTail(context, context.sql, feeSats),
  namePads: (count) => inTransaction(context.sql, (tx) => nameAnchors(context, tx, charge, { count })),
})

/**
 * Chooses the market's fee coins for a settlement and builds it: a tail coin; a larger one if the fee exceeds the first; pads if no tail is
 * free, or if the buyer has too many small coins for one. Only the submit holds them. Throws unavailable, and errors of `attempt`.
 */
export async function withFeeCoins<T>(
  pool: FeeCoinPool,
  items: number,
  attempt: (feeCoins: FeeCoins) => Promise<T>,
): Promise<T & { feeCoins: FeeCoins }> {
  const withTail = async (feeSats: number) => {
    const feeCoins: FeeCoins = { by: 'tail', tail: await pool.nameTail(feeSats) }
    return { ...(await attempt(feeCoins)), feeCoins }
  }
  const withPads = async () => {
    const pads = await pool.namePads(items + 1)
    const feeCoins: FeeCoins = { by: 'pads', pads }
    return { ...(await attempt(feeCoins)), feeCoins }
  }
  try {
    return await withTail(0)
  } catch (error) {
    if (isExhausted(error)) return withPads()
    const cause = causeOf(error)
    if (cause?.code === 'tail-too-small')
      return await withTail(Number(cause.facts.feeSats)).catch((again: unknown) => {
        if (isExhausted(again)) return withPads()
        if (causeOf(again)?.code !== 'tail-too-small') throw again
        throw unavailable(
          'network-fee-too-high',
          'The network fee exceeds what the market can pay. Buy fewer at a time, or wait',
        )
      })
    // If pads do not help either, the buyer can mend the first failure.
    if (
      cause?.code === 'coins-fragmented' ||
      (cause?.code === 'coins-insufficient' && Number(cause.facts.split) > 0)
    )
      return await withPads().catch((again: unknown) => {
        throw causeOf(again) ? error : again
      })
    throw error
  }
}

const isExhausted = (error: unknown) => error instanceof Fault && error.code === 'market-coins-exhausted'

/** The kernel error that caused a fault, or null. */
function causeOf(error: unknown): BitcoinError | null {
  const cause = error instanceof Error && error.cause instanceof BitcoinError ? error.cause : error
  return cause instanceof BitcoinError ? cause : null
}
