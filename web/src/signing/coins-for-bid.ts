import { sumSats } from '@ordbook/bitcoin/sats.ts'
import type { Answer, Body } from '@ordbook/sdk/operations.ts'
import { client } from '../client.ts'

type Coin = Answer<'listCoins'>['coins'][number]

/** Coins of a wallet that are looked at one by one, the largest first. */
const MOST_ASKED = 20
/** The least that an offer for a collection pays, and the step of its price, in sats. */
const LEAST = 10_000
const STEP = 5000

/** An offer for a collection or trait, or a ladder of them. */
export interface BidWish {
  target: Body<'preflightCollectionWideOffer'>['target']
  priceSats: number
  count: number
  stepSats: number
}

/**
 * Coins for an offer, and the number of own offers that it would end. Coins that back no other offer for the same are taken where
 * they suffice, so that both offers stay; else all coins are.
 */
export async function coinsForBid(
  walletBindingId: string,
  slug: string,
  { target, priceSats, count, stepSats }: BidWish,
): Promise<{ coins: readonly Coin[]; replaced: number }> {
  const { coins } = await client.call('listCoins', { query: { walletBindingId } })
  const ladder = { priceSats, ...(count > 1 ? { offerCount: count, ladderStepSats: stepSats } : {}) }
  const replacedBy = async (spendableUtxos: readonly Coin[], of: { priceSats: number }) => {
    const { replacementWarning } = await client.call('previewCollectionOfferReplacementWarning', {
      params: { slug },
      body: { walletBindingId, target, ...of, spendableUtxos: [...spendableUtxos] },
    })
    return replacementWarning?.activeOfferCount ?? 0
  }
  const replaced = await replacedBy(coins, ladder)
  if (replaced === 0) return { coins, replaced }
  const asked = coins
    .filter((coin) => coin.valueSats >= LEAST)
    .toSorted((a, b) => b.valueSats - a.valueSats)
    .slice(0, MOST_ASKED)
  const own = await Promise.all(
    asked.map((coin) => {
      const most = Math.min(priceSats, coin.valueSats)
      return replacedBy([coin], { priceSats: most - (most % STEP) })
    }),
  )
  const free = asked.filter((_, n) => own[n] === 0)
  // The coins of all rungs: an offer that they cannot pay alone takes all coins, as a ladder that shares a coin does.
  const neededSats = sumSats(Array.from({ length: count }, (_, n) => priceSats - n * stepSats))
  if (sumSats(free.map((coin) => coin.valueSats)) < neededSats) return { coins, replaced }
  return (await replacedBy(free, ladder)) === 0 ? { coins: free, replaced: 0 } : { coins, replaced }
}
