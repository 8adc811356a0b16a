import {
  acceptCounter,
  acceptOffer,
  bid,
  cancelBid,
  cancelOffer,
  coinOfItem,
  counter,
  fill,
  prepareOffer,
  rejectOffer,
} from '@ordbook/sdk/index.ts'
import type { TestMarket, TestTrader } from '../../support/market.ts'
import { coinsOf } from '../../support/offers.ts'

const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)]

/** Returns a collection's items: the trader's and the others'. */
export async function agreeableItems(trader: TestTrader, slug: string, postageSats: number) {
  const { items } = await trader.client.call('listCollectionInscriptions', {
    params: { slug },
    query: { limit: 100 },
  })
  const agreeable = items.map((item) => ({
    owner: item.owner,
    inscriptionId: item.inscriptionId,
    coin: coinOfItem(item, postageSats),
  }))
  const mine = agreeable.filter((item) => item.owner === trader.wallet.ordinalsAddress)
  return { mine, foreign: agreeable.filter((item) => item.owner !== trader.wallet.ordinalsAddress) }
}

const NETWORK = { maxNetworkSats: 50_000 }
/** Market fee in sats. Fees below the dust limit are waived. */
const feesOf = (priceSats: number, bps: number) => {
  const fee = Math.floor((priceSats * bps) / 10_000)
  return fee >= 330 ? fee : 0
}

/** Wallets that bid on each other's inscriptions at random, with the resulting balance changes. */
export class Bidding {
  /** Settlements that the market confirmed, with its revenue. */
  readonly settled: { kind: string; settlementTxid: string; revenueSats: number }[] = []
  private readonly market: TestMarket
  private readonly slug: string
  private readonly postageSats: number
  /** Cost of a settlement for the maker, by offer or bid id. */
  private readonly costs = new Map<string, { maker: TestTrader; costSats: number }>()
  private readonly earned = new Map<string, number>()

  constructor(market: TestMarket, slug: string, postageSats: number) {
    this.market = market
    this.slug = slug
    this.postageSats = postageSats
  }

  /** Sats that a wallet gained by bidding. Negative if it spent more. */
  earnedBy(trader: TestTrader): number {
    return this.earned.get(trader.walletBindingId) ?? 0
  }

  summary(): string {
    const kinds = Object.groupBy(this.settled, (each) => each.kind)
    return Object.entries(kinds)
      .map(([kind, all]) => `${all!.length} ${kind}`)
      .join(', ')
  }

  async act(trader: TestTrader): Promise<void> {
    const acts = [
      'offer',
      'offer',
      'bid',
      'accept',
      'accept',
      'fill',
      'fill',
      'counter',
      'take',
      'take',
      'end',
    ] as const
    await this[pick(acts)!](trader)
  }

  private gain(trader: TestTrader, sats: number): void {
    const { walletBindingId } = trader
    this.earned.set(walletBindingId, (this.earned.get(walletBindingId) ?? 0) + sats)
  }

  private settle(kind: string, settlementTxid: string, revenueSats: number): void {
    this.settled.push({ kind, settlementTxid, revenueSats })
  }

  private async offer(trader: TestTrader): Promise<void> {
    const { foreign } = await agreeableItems(trader, this.slug, this.postageSats)
    const items = foreign.toSorted(() => Math.random() - 0.5).slice(0, 3)
    const priceSats = 10_000 + Math.floor(Math.random() * 60) * 1000
    const coins = await coinsOf(this.market, trader)
    const { body, costsSats } = await prepareOffer(trader, this.slug, {
      items,
      priceSats,
      coins,
      maxFeeBps: 100,
      ...NETWORK,
    })
    const created = await trader.client.call('submitCollectionOffer', { params: { slug: this.slug }, body })
    for (const [i, { offerId }] of created.items.entries())
      this.costs.set(offerId, { maker: trader, costSats: costsSats[i]! })
  }

  private async bid(trader: TestTrader): Promise<void> {
    const priceSats = 10_000 + Math.floor(Math.random() * 8) * 5000
    const coins = await coinsOf(this.market, trader)
    const created = await bid(trader, this.slug, { target: { kind: 'all' }, priceSats, coins })
    for (const { offerId } of created.offers) this.costs.set(offerId, { maker: trader, costSats: priceSats })
  }

  /** Returns one of the trader's inscriptions and its best offer, or null. */
  private async received(trader: TestTrader) {
    const owned = await trader.client.call('listMyOffers', { query: { view: 'owned' } })
    const group =
      owned.view === 'owned' ? pick(owned.groups.filter((group) => group.offers.length > 0)) : null
    const { mine } = await agreeableItems(trader, this.slug, this.postageSats)
    const item = mine.find((each) => each.inscriptionId === group?.inscriptionId)
    const best = group?.offers[0]
    return item && best ? { best, item: { ...item, ...NETWORK } } : null
  }

  private async accept(trader: TestTrader): Promise<void> {
    const received = await this.received(trader)
    if (!received) return
    const { priceSats, id } = received.best
    const agreement = { ...received.item, priceSats, maxFeeBps: 100 }
    const { settlementTxid, payoutSats } = await acceptOffer(trader, id, agreement)
    const { maker, costSats } = this.costs.get(id)!
    this.gain(trader, payoutSats)
    this.gain(maker, -costSats)
    const fee = Math.floor(priceSats / 100)
    this.settle('offers', settlementTxid, 2 * fee >= 330 ? 2 * fee : 0)
  }

  private async counter(trader: TestTrader): Promise<void> {
    const received = await this.received(trader)
    if (!received) return
    const priceSats = received.best.priceSats + 5000
    await counter(trader, received.best.id, { ...received.item, priceSats, maxFeeBps: 100 })
  }

  private async take(trader: TestTrader): Promise<void> {
    const sent = await trader.client.call('listMyOffers', { query: { view: 'sent' } })
    const row = sent.view === 'sent' ? pick(sent.rows.filter((row) => row.side === 'received')) : null
    if (!row) return
    const { foreign } = await agreeableItems(trader, this.slug, this.postageSats)
    const item = foreign.find((each) => each.inscriptionId === row.inscriptionId)
    if (!item) return
    const { priceSats } = row
    const coins = await coinsOf(this.market, trader)
    const agreement = { ...item, priceSats, coins, maxFeeBps: 100, ...NETWORK }
    const { settlementTxid, costSats } = await acceptCounter(trader, row.id, agreement)
    const fee = Math.floor(priceSats / 100)
    this.gain(trader, -costSats)
    this.gainByAddress(row.sellerAddress, priceSats - fee + this.postageSats)
    this.settle('counters', settlementTxid, 2 * fee)
  }

  private async fill(trader: TestTrader): Promise<void> {
    const { rows } = await trader.client.call('listCollectionOfferBook', { params: { slug: this.slug } })
    const foreign = rows.filter((row) => row.makerAddress !== trader.wallet.paymentAddress)
    const { mine } = await agreeableItems(trader, this.slug, this.postageSats)
    const [row, item] = [pick(foreign), pick(mine)]
    if (!row || !item) return
    const agreement = {
      ...item,
      priceSats: row.priceSats,
      maxFeeBps: 250,
      ...NETWORK,
      evenBelowTopOffer: true,
    }
    const { settlementTxid, payoutSats } = await fill(trader, this.slug, row.id, agreement)
    const { maker, costSats } = this.costs.get(row.id)!
    this.gain(trader, payoutSats)
    this.gain(maker, -costSats)
    this.settle('fills', settlementTxid, feesOf(row.priceSats, 250))
  }

  private async end(trader: TestTrader): Promise<void> {
    const sent = await trader.client.call('listMyOffers', { query: { view: 'sent' } })
    const own = sent.view === 'sent' ? pick(sent.rows.filter((row) => row.side === 'sent')) : null
    if (own && Math.random() < 0.5) await cancelOffer(trader, { id: own.inscriptionId, offerId: own.id })
    const found = Math.random() < 0.3 ? await this.received(trader) : null
    if (found) await rejectOffer(trader, { id: found.best.inscriptionId, offerId: found.best.id })
    const { rows } = await trader.client.call('listMySentCollectionOffers', { params: { slug: this.slug } })
    const bidden = pick(rows)
    if (bidden && Math.random() < 0.3) await cancelBid(trader, this.slug, bidden.id)
  }

  private readonly byAddress = new Map<string, TestTrader>()

  know(trader: TestTrader): void {
    this.byAddress.set(trader.wallet.ordinalsAddress, trader)
  }

  private gainByAddress(address: string, sats: number): void {
    this.gain(this.byAddress.get(address)!, sats)
  }
}
