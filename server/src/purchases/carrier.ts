import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Carrier } from '@ordbook/bitcoin/trade/purchase.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { unavailable } from '../errors.ts'
import { nameAnchors, nameTail } from '../market-coins/anchors.ts'

/**
 * Names what of the market's carries a settlement, and builds it: a tail coin; a larger one, where the fee names itself too
 * high for the first; pads, where the buyer's coins are too many and too small for a tail. Nothing is held: the submit
 * takes it. Throws unavailable, or what `attempt` throws.
 */
export async function withCarrier<T>(
  context: Context,
  items: number,
  attempt: (carrier: Carrier) => Promise<T>,
): Promise<T & { carrier: Carrier }> {
  const { sql } = context
  const withTail = async (feeSats: number) => {
    const carrier: Carrier = { by: 'tail', tail: await nameTail(context, sql, feeSats) }
    return { ...(await attempt(carrier)), carrier }
  }
  const withPads = async () => {
    const named = { count: items + 1, takenBy: null }
    const pads = await inTransaction(sql, (tx) => nameAnchors(context, tx, named))
    const carrier: Carrier = { by: 'pads', pads }
    return { ...(await attempt(carrier)), carrier }
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
    // What went wrong with the tail is what the buyer can mend, where pads do not help either.
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

/** What the kernel said, where a fault was made of it. */
function causeOf(error: unknown): BitcoinError | null {
  const cause = error instanceof Error && error.cause instanceof BitcoinError ? error.cause : error
  return cause instanceof BitcoinError ? cause : null
}
