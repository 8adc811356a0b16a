import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import type { FeeCoins } from '@ordbook/bitcoin/trade/purchase.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { Fault, unavailable } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { type Charge, nameAnchors, nameTail } from '../market-coins/grants.ts'

export interface FeeCoinPool {
  nameTail(feeSats: number): Promise<Coin>
  namePads(count: number): Promise<Coin[]>
}

export const marketPool = (context: Context, charge: Charge): FeeCoinPool => ({
  nameTail: (feeSats) => nameTail(context, context.sql, feeSats),
  namePads: (count) => inTransaction(context.sql, (tx) => nameAnchors(context, tx, charge, { count })),
})

/** Selects fee coins and builds a settlement with `attempt`. Tries a tail coin, then a larger one if the fee exceeds it, then pads. */
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
      return await withTail(Number(cause.facts.feeSats)).catch((secondError: unknown) => {
        if (isExhausted(secondError)) return withPads()
        if (causeOf(secondError)?.code !== 'tail-too-small') throw secondError
        throw unavailable(
          'network-fee-too-high',
          'The network fee exceeds what the market can pay. Buy fewer items at a time, or retry later.',
        )
      })
    // Report the first error, which the buyer can fix.
    if (
      cause?.code === 'coins-fragmented' ||
      (cause?.code === 'coins-insufficient' && Number(cause.facts.split) > 0)
    )
      return await withPads().catch((secondError: unknown) => {
        throw causeOf(secondError) ? error : secondError
      })
    throw error
  }
}

const isExhausted = (error: unknown) => error instanceof Fault && error.code === 'market-coins-exhausted'

function causeOf(error: unknown): BitcoinError | null {
  const cause = error instanceof Error && error.cause instanceof BitcoinError ? error.cause : error
  return cause instanceof BitcoinError ? cause : null
}
