import type { Answer } from '@ordbook/sdk'
import { count, money, remaining } from '../amounts.ts'
import { type Commitment, readOrders } from '../commitments.ts'
import { readPages } from '../pages.ts'
import type { Column } from '../table.ts'
import type { Verb } from '../verb.ts'

type Holding = Answer<'listHoldings'>['holdings'][number]

export const HOLDINGS: Column[] = [
  { head: 'INSCRIPTION', shorten: 'id' },
  { head: 'NAME', shorten: 'name' },
  { head: 'LISTED SATS', align: 'right' },
  { head: 'BEST OFFER', align: 'right', optional: true },
]
export const COMMITMENTS: Column[] = [
  { head: 'ORDER' },
  { head: 'ID', shorten: 'id' },
  { head: 'OF', shorten: 'name' },
  { head: 'PRICE SATS', align: 'right', optional: true },
  { head: 'BOUND SATS', align: 'right' },
  { head: 'ENDS IN', align: 'right' },
]
const NAMES: Record<Commitment['kind'], string> = {
  listing: 'listing',
  offer: 'offer',
  'received-offer': 'offer to you',
  counter: 'counter',
  'received-counter': 'counter to you',
  'collection-offer': 'any item',
  'trait-offer': 'any with trait',
  proposal: 'swap proposed',
  acceptance: 'swap accepted',
  'received-acceptance': 'swap to settle',
  escrow: 'escrow',
}

export const portfolio: Verb = {
  usage: '',
  summary: 'Show the inscriptions, orders, escrows and coins of the wallet',
  details: `BOUND SATS is what an order can spend, without network fees. Offers with the same coins end when one of them is accepted.
`,
  options: {},
  async run(desk) {
    const { wallet, walletBindingId } = await desk.trader()
    const { client, out } = desk
    const holdings: Holding[] = await readPages(
      (from) =>
        client.call('listHoldings', {
          params: { address: wallet.ordinalsAddress },
          query: { limit: 100, ...from },
        }),
      (page) => page.holdings,
    )
    const [coins, { commitments, offers, escrows }] = await Promise.all([
      client.call('listCoins', { query: { walletBindingId } }),
      readOrders(desk),
    ])
    const floorSats = holdings.reduce((sum, holding) => sum + (holding.collectionFloorSats ?? 0), 0)
    const holdingRows = holdings.map(({ inscriptionId, name, priceSats, topOfferSats }) => [
      inscriptionId,
      name,
      count(priceSats),
      count(topOfferSats),
    ])
    const now = Date.now()
    const orderRows = commitments.map(({ kind, id, of, priceSats, boundSats, endsAt }) => [
      NAMES[kind],
      id,
      of,
      count(priceSats),
      count(boundSats || null),
      remaining(endsAt, now),
    ])
    return {
      document: {
        ordinalsAddress: wallet.ordinalsAddress,
        paymentAddress: wallet.paymentAddress,
        holdings,
        commitments,
        escrows,
        offers,
        coins: coins.coins,
        spendableSats: coins.totalSats,
        floorSats,
      },
      text: [
        ...(holdings.length > 0 ? [...out.table(HOLDINGS, holdingRows), ''] : []),
        ...(commitments.length > 0 ? [...out.table(COMMITMENTS, orderRows), ''] : []),
        `${holdings.length} inscriptions at ${wallet.ordinalsAddress}, ${money(floorSats)} at floor prices`,
        `${commitments.length} orders and escrows; --wide shows their full ids`,
        `${money(coins.totalSats)} to spend at ${wallet.paymentAddress}, in ${coins.coins.length} coins`,
      ],
    }
  },
}
