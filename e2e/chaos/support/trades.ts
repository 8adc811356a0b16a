import {
  ApiError,
  acceptOffer,
  acceptProposal,
  list,
  offer,
  preparePurchase,
  propose,
  settle,
} from '@ordbook/sdk/index.ts'
import { agreementFor, type TestTrader, until } from '../../support/market.ts'
import { coinsOf, offering, selling } from '../../support/offers.ts'
import { traderAtStorefront } from '../../support/storefront.ts'
import { PatientClient } from './clients.ts'
import type { ChaosMarket } from './market.ts'

export type Kind = 'purchase' | 'offer' | 'swap'
export const KINDS: readonly Kind[] = ['purchase', 'offer', 'swap']
export const STEPS: Record<Kind, number> = { purchase: 4, offer: 4, swap: 5 }

export interface Pair {
  kind: Kind
  seller: TestTrader
  buyer: TestTrader
  slug: string
  ids: string[]
}

export async function patient(trader: TestTrader, url: string, surface: 'api' | 'web'): Promise<TestTrader> {
  const { wallet, walletBindingId } = trader
  const client = new PatientClient(`${url}/${surface}/v1`)
  if (surface === 'web') client.headers = (await traderAtStorefront(url, wallet)).client.headers
  else client.token = trader.client.token
  return { wallet, walletBindingId, client }
}

export type Outcome = { id: string; txid: string } | { id: string; refused: string }

type At = Pick<ChaosMarket, 'market'>

/** Makes a trade and calls `onWrite` for each write. Returns errors with a status below 500 as `refused`, throws others. */
export async function trade(chaos: At, pair: Pair, onWrite: () => void): Promise<Outcome> {
  const id = pair.ids.pop()!
  for (const { client } of [pair.seller, pair.buyer]) (client as PatientClient).onWrite = onWrite
  try {
    return { id, txid: await makers[pair.kind](chaos, pair, id) }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      return { id, refused: `${error.status} ${error.message}` }
    throw error
  }
}

const PRICE = 30_000

const makers: Record<Kind, (chaos: At, pair: Pair, id: string) => Promise<string>> = {
  async purchase({ market }, { seller, buyer, slug }, id) {
    const coin = await retryRead(() => market.coinOf(id))
    await list(seller, slug, [{ inscriptionId: id, priceSats: PRICE, coin, maxFeeBps: 100 }])
    const agreement = await retryRead(() => agreementFor(market, buyer, [id]))
    const { body } = await preparePurchase(buyer, slug, agreement)
    const answer = await buyer.client.call('submitPurchase', { params: { slug }, body })
    return answer.settlementTxid
  },
  async offer({ market }, { seller, buyer, slug }, id) {
    const agreed = await retryRead(() => offering(market, buyer, [id], PRICE))
    const { items } = await offer(buyer, slug, agreed)
    const sale = await retryRead(() => selling(market, id, PRICE))
    return (await acceptOffer(seller, items[0]!.offerId, sale)).settlementTxid
  },
  async swap({ market }, { seller, buyer, slug }, id) {
    const coins = await retryRead(() => coinsOf(market, buyer))
    const proposal = await propose(
      buyer,
      {
        visibility: 'public',
        offeredInscriptionIds: [],
        offeredBtcSats: PRICE,
        wantedLegs: [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' } }],
        requestedBtcSats: 0,
      },
      coins,
    )
    const item = { inscriptionId: id, coin: await retryRead(() => market.coinOf(id)) }
    const fills = [{ legId: proposal.wantedLegs[0]!.id, inscriptionId: id }]
    const accepted = await acceptProposal(seller, proposal.id, fills, {
      gives: [item],
      gets: [],
      netSats: PRICE,
      coins: await retryRead(() => coinsOf(market, seller)),
      maxMarketSats: 100_000,
      maxNetworkSats: 100_000,
    })
    const settled = await settle(buyer, accepted.acceptanceId, {
      gives: [],
      gets: [item],
      netSats: -PRICE,
      coins,
    })
    return settled.expectedSettlementTxid
  },
}

/** Retries a read from the database or node for up to a minute. */
async function retryRead<T>(look: () => Promise<T>): Promise<T> {
  return until("a response to the test's read", () => look().catch(() => null), 60) as Promise<T>
}
