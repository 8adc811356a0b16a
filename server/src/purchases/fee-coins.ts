import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { FeeCoins } from '@ordbook/bitcoin/trade/purchase.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { unavailable } from '../errors.ts'
import { nameAnchors, nameTail } from '../market-coins/anchors.ts'

/**
 * Chooses the market's fee coins for a settlement and builds it with them: a tail coin; a larger one where the fee exceeds
 * the first; pads where the buyer's coins are too many and too small for a tail. Only the submit holds them. Throws
 * unavailable, or what `attempt` throws.
 */
export async function withFeeCoins<T>(
  context: Context,
  items: number,
  attempt: (feeCoins: FeeCoins) => Promise<T>,
): Promise<T & { feeCoins: FeeCoins }> {
  const { sql } = context
  const withTail = async (feeSats: number) => {
    const feeCoins: FeeCoins = { by: 'tail', tail: await nameTail(context, sql, feeSats) }
    return { ...(await attempt(feeCoins)), feeCoins }
  }
  const withPads = async () => {
    const named = { count: items + 1, takenBy: null }
    const pads = await inTransaction(sql, (tx) => nameAnchors(context, tx, named))
    const feeCoins: FeeCoins = { by: 'pads', pads }
    return { ...(await attempt(feeCoins)), feeCoins }
  }
  try {
    return await withTail(0)
  } catch (error) {
    const cause = causeOf(error)
    if (cause?.code === 'tail-too-small')
      return await withTail(Number(cause.facts.feeSats)).catch((again: unknown) => {
        if (causeOf(again)?.code !== 'tail-too-small') throw again
        throw unavailable(
          'network-fee-too-high',
          'The network fee is above what the market can carry: buy fewer at once, or wait',
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

/** The kernel's error behind a fault; null where there is none. */
function causeOf(error: unknown): BitcoinError | null {
  const cause = error instanceof Error && error.cause instanceof BitcoinError ? error.cause : error
  return cause instanceof BitcoinError ? cause : null
}
