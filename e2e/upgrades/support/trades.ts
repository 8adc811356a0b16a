import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { bid, buy, cancelBid, delist, fill } from '@ordbook/sdk/index.ts'
import { type Asked, everyRequest } from '../../operations/support/every-request.ts'
import { goodReads, type SteadyLoad, startLoad } from '../../scale/support/steady-load.ts'
import { agreementFor, listAll, type TestTrader } from '../../support/market.ts'
import { coinsOf, selling } from '../../support/offers.ts'
import { signInAtStorefront } from '../../support/storefront.ts'
import { fund, type InstalledMarket } from './installed.ts'

const PRICE_SATS = 30_000
const ALL = { kind: 'all' } as const
/** Number of coins and inscriptions for purchases. Each purchase also uses a tail coin of the market. */
const PURCHASES = 18

/** Trades before, during and after an upgrade. The last ones complete the first ones. */
export class UpgradeTrades {
  /** Inscriptions traded before the upgrade: `listed` is for sale, `bought` is unconfirmed. The others have bids. */
  listed!: string
  bought!: string
  private offerId!: string
  private bidFor!: string
  private slug!: string
  private readonly market: InstalledMarket
  private seller!: TestTrader
  private buyer!: TestTrader
  private bidder!: TestTrader
  private hesitant!: TestTrader
  private coins: Coin[] = []
  private relisted: string[] = []
  private unsold: string[] = []
  private sold: string[] = []
  private reads: Asked[] = []
  /** Number of purchases that the load may still make. */
  private allowed = 0

  constructor(market: InstalledMarket) {
    this.market = market
  }

  async begin(): Promise<void> {
    const { market } = this
    await fund(market)
    this.seller = await market.trader(2)
    this.buyer = await market.trader(PURCHASES)
    this.bidder = await market.trader(2)
    this.hesitant = await market.trader(2)
    const { slug, ids } = await market.collection(this.seller.wallet, PURCHASES + 4)
    const { url } = market
    const { cookie } = await signInAtStorefront(url, this.seller.wallet)
    this.reads = await goodReads(
      url,
      await everyRequest(market, url, { trader: this.seller, cookie, otherCookie: '' }),
    )
    this.slug = slug
    const [one, two, listed, bidFor, ...unsold] = ids as [string, string, string, string, ...string[]]
    Object.assign(this, { relisted: [one, two], listed, bidFor, unsold })
    this.coins = await coinsOf(market, this.buyer)
    await listAll(market, this.seller, slug, [listed], PRICE_SATS)
    const coins = await coinsOf(market, this.bidder)
    const { offers } = await bid(this.bidder, slug, { target: ALL, priceSats: PRICE_SATS, coins })
    this.offerId = offers[0]!.offerId
    this.bought = await this.purchase()
  }

  /** Starts a load: reads, listings and bids that are cancelled, and purchases if `allow` permits them. */
  startLoad(): SteadyLoad {
    const { market, slug, seller } = this
    return startLoad(market.url, this.reads, [
      ...this.relisted.map((id) => ({
        kind: 'listings made and ended',
        turn: async () => {
          const listed = await listAll(market, seller, slug, [id], PRICE_SATS)
          await delist(seller, slug, [{ inscriptionId: id, listingId: listed.get(id)! }])
        },
      })),
      {
        kind: 'bids made and ended',
        turn: async () => {
          const coins = await coinsOf(market, this.hesitant)
          const { offers } = await bid(this.hesitant, slug, { target: ALL, priceSats: PRICE_SATS, coins })
          await cancelBid(this.hesitant, slug, offers[0]!.offerId)
        },
      },
      {
        kind: 'purchases',
        turn: async () => {
          if (this.allowed === 0) return 'idle'
          this.allowed--
          this.sold.push(await this.purchase())
        },
      },
    ])
  }

  allow(purchases: number): void {
    this.allowed += purchases
  }

  private async purchase(): Promise<string> {
    const id = this.unsold.pop()!
    await listAll(this.market, this.seller, this.slug, [id], PRICE_SATS)
    await this.buyListed(id)
    return id
  }

  private async buyListed(id: string): Promise<void> {
    const agreement = await agreementFor(this.market, this.buyer, [id])
    await buy(this.buyer, this.slug, { ...agreement, coins: [this.coins.pop()!] })
  }

  /** Completes the trades from before the upgrade. Throws if a buyer does not have its inscription. */
  async end(): Promise<void> {
    const { market, slug } = this
    await this.buyListed(this.listed)
    await fill(this.seller, slug, this.offerId, await selling(market, this.bidFor, PRICE_SATS, 250))
    await market.mine()
    const owners = [
      [this.bidFor, this.bidder] as const,
      ...[this.listed, this.bought, ...this.sold].map((id) => [id, this.buyer] as const),
    ]
    for (const [id, { wallet }] of owners) {
      const { script } = await market.coinOf(id)
      if (Buffer.compare(script, wallet.ordinalsScript) !== 0)
        throw new Error(`${id} does not belong to the wallet that bought it`)
    }
  }
}
