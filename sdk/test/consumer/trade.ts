import { hexToBytes } from '@ordbook/bitcoin'
import type { Outpoint } from '@ordbook/bitcoin/outpoint'
import { ApiError, buy, Client, coinOfItem, list, signIn } from '@ordbook/sdk'
import { type InscriptionCoin, OverBudget, type OwnCoin } from '@ordbook/sdk/verify'
import { LocalWallet, type Wallet } from '@ordbook/sdk/wallets'

interface Keys {
  ordinals: string
  payment: string
}

export interface Order {
  /** `http://host:port` */
  market: string
  slug: string
  inscriptionId: string
  coin: InscriptionCoin
  seller: Keys
  buyer: Keys
  coins: OwnCoin[]
}

export interface Traded {
  /** Outpoint of the inscription before the sale. */
  sold: Outpoint
  settlementTxid: string
  costSats: number
  refusal: string | null
  /** Whether the SDK refused to sign a purchase above the agreed cost. */
  keptToBudget: boolean
}

/** Trades like a program outside the repository: one wallet lists, and the other buys. */
export async function trade({ market, slug, inscriptionId, coin, coins, ...keys }: Order): Promise<Traded> {
  const enter = async ({ ordinals, payment }: Keys) => {
    const client = new Client(`${market}/api/v1`)
    const wallet: Wallet = new LocalWallet(
      { ordinals: hexToBytes(ordinals), payment: hexToBytes(payment) },
      { network: 'regtest', paymentKind: 'p2tr' },
    )
    const session = await signIn(client, wallet, new URL(market).host)
    return { client, wallet, walletBindingId: session.walletBindings[0]!.walletBindingId }
  }
  const seller = await enter(keys.seller)
  const buyer = await enter(keys.buyer)

  await list(seller, slug, [{ inscriptionId, priceSats: 50_000, coin, maxFeeBps: 500 }], 7)
  const { listings } = await buyer.client.call('listListings', { query: { inscriptionId } })
  const [listing] = listings
  if (!listing) throw new Error('listing not found')
  const { listingId, priceSats } = listing
  const agreement = {
    items: [{ inscriptionId, listingId, priceSats, coin: coinOfItem(listing) }],
    coins,
    maxFeeBps: 500,
    maxNetworkSats: 50_000,
  }

  const keptToBudget = await buy(buyer, slug, { ...agreement, maxTotalSats: priceSats }).then(
    () => false,
    (error: unknown) => error instanceof OverBudget,
  )
  const { settlementTxid, costSats } = await buy(buyer, slug, agreement)
  const refusal = await buyer.client.call('getReceipt', { params: { txid: '00'.repeat(32) } }).then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.code : null),
  )
  return { sold: coin, settlementTxid, costSats, refusal, keptToBudget }
}
