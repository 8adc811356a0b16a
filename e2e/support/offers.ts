import type { CounterAgreement, OfferAgreement, SaleAgreement } from '@ordbook/sdk/index.ts'
import type { TestMarket, TestTrader } from './market.ts'

export const coinsOf = ({ regtest }: Pick<TestMarket, 'regtest'>, trader: TestTrader) =>
  regtest.coinsOf(trader.wallet.paymentScript)

export async function offering(
  market: TestMarket,
  buyer: TestTrader,
  ids: readonly string[],
  priceSats: number,
): Promise<OfferAgreement> {
  const items = []
  for (const inscriptionId of ids) items.push({ inscriptionId, coin: await market.coinOf(inscriptionId) })
  return { items, priceSats, coins: await coinsOf(market, buyer), maxFeeBps: 100, maxNetworkSats: 20_000 }
}

export async function selling(
  market: Pick<TestMarket, 'coinOf'>,
  inscriptionId: string,
  priceSats: number,
  maxFeeBps = 100,
): Promise<SaleAgreement> {
  const coin = await market.coinOf(inscriptionId)
  return { inscriptionId, priceSats, coin, maxFeeBps, maxNetworkSats: 20_000 }
}

export async function countered(
  market: TestMarket,
  buyer: TestTrader,
  inscriptionId: string,
  priceSats: number,
): Promise<CounterAgreement> {
  const { items, ...rest } = await offering(market, buyer, [inscriptionId], priceSats)
  return { ...rest, ...items[0]! }
}
