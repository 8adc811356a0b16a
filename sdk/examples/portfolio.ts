/**
 * Estimates the value of a wallet: its inscriptions at floor price and best offer, its listings, bids and escrows, and its sats.
 *
 *   npx node sdk/examples/portfolio.ts
 */
import { enter } from '@ordbook/sdk'
import { market, ownWallet } from './settings.ts'

const wallet = ownWallet()
// Holdings and coins need the storefront API.
const { client, walletBindingId } = await enter(market, wallet, { surface: 'storefront', repeats: 4 })

const inscriptions = []
for (let cursor: string | null | undefined; cursor !== null; ) {
  const page = await client.call('listHoldings', {
    params: { address: wallet.ordinalsAddress },
    query: { limit: 100, ...(cursor ? { cursor } : {}) },
  })
  inscriptions.push(...page.holdings)
  cursor = page.pagination.nextCursor
}

const floors = new Map<string, number>()
const slugs = [...new Set(inscriptions.flatMap(({ collectionSlug }) => collectionSlug ?? []))]
for (let at = 0; at < slugs.length; at += 100) {
  const query = { slugs: slugs.slice(at, at + 100).join(',') }
  const { data } = await client.call('listCollectionFloorStats', { query })
  for (const { slug, floor } of data) if (floor !== null) floors.set(slug, floor)
}

const { totalSats, keptBackCount } = await client.call('listCoins', { query: { walletBindingId } })
const { bids } = await client.call('listOwnBids')
const { escrows } = await client.call('listMyEscrows', { query: { limit: 100 } })
const sum = (values: readonly (number | null | undefined)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0)

console.log(
  JSON.stringify(
    {
      address: wallet.ordinalsAddress,
      inscriptions: inscriptions.length,
      atFloorSats: sum(inscriptions.map(({ collectionSlug }) => floors.get(collectionSlug ?? ''))),
      atBestOfferSats: sum(inscriptions.map(({ topOfferSats }) => topOfferSats)),
      listed: inscriptions.filter(({ listingState }) => listingState !== null).length,
      askedSats: sum(
        inscriptions.map(({ listingState, priceSats }) => (listingState !== null ? priceSats : 0)),
      ),
      inEscrow: escrows.length,
      bidSats: sum(bids.map(({ priceSats }) => priceSats)),
      spendableSats: totalSats,
      coinsKeptBack: keptBackCount,
    },
    null,
    2,
  ),
)
