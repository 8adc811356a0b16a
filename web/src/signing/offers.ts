import { acceptCounter, acceptOffer, counter, offer } from '@ordbook/sdk/offers.ts'
import {
  coinOf,
  coinsOf,
  type Hours,
  itemOf,
  knownOf,
  MOST_NETWORK_SATS,
  money,
  refresh,
  type Trading,
  trader,
} from './trading.ts'

export async function makeOffer(
  trading: Trading,
  slug: string,
  inscriptionId: string,
  priceSats: number,
  hours: Hours,
  royaltyBps: number,
): Promise<void> {
  const item = await itemOf(inscriptionId)
  const one = await trader(trading, {
    title: `Offer for ${item.name}`,
    outcome: `You offer ${money(priceSats)}. Your coins stay where they are; when its owner accepts, you pay and get the inscription in one transaction. Spending one of these coins, or taking the offer back, ends it.`,
    known: await knownOf([item], 'arrives'),
  })
  await offer(
    one,
    slug,
    {
      items: [{ inscriptionId, coin: coinOf(item) }],
      priceSats,
      coins: await coinsOf(trading),
      maxFeeBps: trading.market.fees.buyerFeeBps + royaltyBps,
      maxNetworkSats: MOST_NETWORK_SATS,
    },
    hours,
  )
  await refresh()
}

export async function acceptOfferOf(
  trading: Trading,
  at: { inscriptionId: string; offerId: string; priceSats: number },
  royaltyBps: number,
): Promise<string> {
  const { inscriptionId, offerId, priceSats } = at
  const item = await itemOf(inscriptionId)
  const one = await trader(trading, {
    title: `Sell ${item.name}`,
    outcome: `You accept ${money(priceSats)}. It settles at once.`,
    known: await knownOf([item], 'leaves'),
  })
  const { settlementTxid } = await acceptOffer(one, offerId, {
    inscriptionId,
    priceSats,
    coin: coinOf(item),
    maxFeeBps: trading.market.fees.sellerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
  return settlementTxid
}

export async function counterOffer(
  trading: Trading,
  at: { inscriptionId: string; offerId: string },
  priceSats: number,
  royaltyBps: number,
): Promise<void> {
  const item = await itemOf(at.inscriptionId)
  const one = await trader(trading, {
    title: `Counter for ${item.name}`,
    outcome: `You ask ${money(priceSats)} of this buyer. Nothing moves until they agree; you can take it back at any time.`,
    known: await knownOf([item], 'leaves'),
  })
  await counter(one, at.offerId, {
    inscriptionId: at.inscriptionId,
    priceSats,
    coin: coinOf(item),
    maxFeeBps: trading.market.fees.sellerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
}

export async function acceptCounterOf(
  trading: Trading,
  at: { inscriptionId: string; offerId: string; priceSats: number },
  royaltyBps: number,
): Promise<string> {
  const { inscriptionId, offerId, priceSats } = at
  const item = await itemOf(inscriptionId)
  const one = await trader(trading, {
    title: `Buy ${item.name}`,
    outcome: `You accept the counter of ${money(priceSats)}. It settles at once.`,
    known: await knownOf([item], 'arrives'),
  })
  const { settlementTxid } = await acceptCounter(one, offerId, {
    inscriptionId,
    priceSats,
    coin: coinOf(item),
    coins: await coinsOf(trading),
    maxFeeBps: trading.market.fees.buyerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
  return settlementTxid
}
