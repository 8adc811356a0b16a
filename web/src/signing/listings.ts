import { buy, list } from '@ordbook/sdk/trade.ts'
import { client } from '../client.ts'
import { money } from '../format.ts'
import { coinOf, itemOf, knownOf } from './items.ts'
import { coinsOf, type Days, MOST_NETWORK_SATS, refresh, type Trading, trader } from './trading.ts'

export async function listItems(
  trading: Trading,
  slug: string,
  wishes: readonly { inscriptionId: string; priceSats: number }[],
  days: Days,
  royaltyBps: number,
): Promise<void> {
  for (let at = 0; at < wishes.length; at += 20) {
    const part = wishes.slice(at, at + 20)
    const items = await Promise.all(part.map((each) => itemOf(each.inscriptionId)))
    const total = part.reduce((sum, each) => sum + each.priceSats, 0)
    const one = await trader(trading, {
      title: part.length === 1 ? `List ${items[0]!.name}` : `List ${part.length} inscriptions`,
      outcome: `${part.length === 1 ? 'It is' : 'They are'} for sale for ${money(total)}${part.length === 1 ? '' : ' together'}. Nothing moves until a buyer pays; then you are paid in the same transaction. You can take it back at any time.`,
      known: await knownOf(items, 'leaves'),
    })
    const maxFeeBps = trading.market.fees.sellerFeeBps + royaltyBps
    const agreed = part.map((wish, n) => ({ ...wish, coin: coinOf(items[n]!), maxFeeBps }))
    await list(one, slug, agreed, days)
  }
  await refresh()
}

export async function delistItems(
  { signed }: Trading,
  slug: string,
  listings: { inscriptionId: string; listingId: string }[],
): Promise<void> {
  const { walletBindingId } = signed
  for (let at = 0; at < listings.length; at += 20)
    await client.call('delistListing', {
      params: { slug },
      body: { walletBindingId, listings: listings.slice(at, at + 20) },
    })
  await refresh()
}

export interface Wanted {
  inscriptionId: string
  listingId: string
  priceSats: number
  name: string
}

/** Buys listings of one collection, at most 20. Gives the transaction. */
export async function buyItems(
  trading: Trading,
  slug: string,
  wanted: readonly Wanted[],
  royaltyBps: number,
): Promise<string> {
  const items = await Promise.all(wanted.map((each) => itemOf(each.inscriptionId)))
  const total = wanted.reduce((sum, each) => sum + each.priceSats, 0)
  const one = await trader(trading, {
    title: wanted.length === 1 ? `Buy ${wanted[0]!.name}` : `Buy ${wanted.length} inscriptions`,
    outcome: `You pay ${money(total)} and the fees, and get ${wanted.length === 1 ? 'it' : 'all of them'} in the same transaction, or nothing happens.`,
    known: await knownOf(items, 'arrives'),
  })
  const { settlementTxid } = await buy(one, slug, {
    items: wanted.map(({ inscriptionId, listingId, priceSats }, n) => ({
      inscriptionId,
      listingId,
      priceSats,
      coin: coinOf(items[n]!),
    })),
    coins: await coinsOf(trading),
    maxFeeBps: trading.market.fees.buyerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
  return settlementTxid
}
