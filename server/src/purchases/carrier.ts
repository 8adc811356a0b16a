import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import type { Carrier } from '@ordbook/bitcoin/trade/purchase.ts'
import type { Context } from '../context.ts'
import { unavailable } from '../errors.ts'
import { reserveAnchors, reserveTail } from '../market-coins/anchors.ts'
import { releaseCoins } from '../market-coins/queries.ts'

/**
 * Reserves what of the market's carries a settlement, and builds it: a tail coin; a larger one, where the fee names
 * itself too high for the first; pads, where the buyer's coins are too many and too small for a tail. Reserves nothing
 * when it throws: unavailable, or what `attempt` throws.
 */
export async function withCarrier<T>(
  context: Context,
  want: { handle: string; until: Date; items: number; takenBy: string | null },
  attempt: (carrier: Carrier) => Promise<T>,
): Promise<T & { carrier: Carrier }> {
  const { sql } = context
  const { handle, until, takenBy } = want
  const withTail = async (feeSats: number) => {
    const tail = await reserveTail(context, sql, { handle, until, feeSats, takenBy })
    const carrier: Carrier = { by: 'tail', tail }
    return { ...(await attempt(carrier)), carrier }
  }
  const withPads = async () => {
    const pads = await reserveAnchors(context, sql, { handle, until, takenBy, count: want.items + 1 })
    const carrier: Carrier = { by: 'pads', pads }
    return { ...(await attempt(carrier)), carrier }
  }
  const orRelease = async (reserveAndBuild: () => Promise<T & { carrier: Carrier }>) => {
    try {
      return await reserveAndBuild()
    } catch (error) {
      await releaseCoins(sql, handle)
      throw error
    }
  }
  try {
    return await orRelease(() => withTail(0))
  } catch (error) {
    const cause = causeOf(error)
    if (cause?.code === 'tail-too-small')
      return await orRelease(() => withTail(Number(cause.facts.feeSats))).catch((again: unknown) => {
        if (causeOf(again)?.code !== 'tail-too-small') throw again
        throw unavailable('The network fee is above what the market can carry: buy fewer at once, or wait')
      })
    // What went wrong with the tail is what the buyer can mend, where pads do not help either.
    if (
      cause?.code === 'coins-fragmented' ||
      (cause?.code === 'coins-insufficient' && Number(cause.facts.split) > 0)
    )
      return await orRelease(withPads).catch((again: unknown) => {
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
