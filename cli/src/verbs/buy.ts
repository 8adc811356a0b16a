import { buy as buyAt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { Failure, UsageError } from '../failure.ts'
import { billOf, textOfBill } from '../review.ts'
import { LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

/** Most items of one settlement. */
const MOST = 20

export const buy: Verb = {
  usage: 'ID... [--max-total AMOUNT]',
  summary: 'buys listed inscriptions of one collection in one transaction',
  details: `  --max-total AMOUNT   most that may leave your coins in all
${LIMITS_HELP}`,
  options: { 'max-total': { type: 'string' }, ...LIMITS },
  async run(desk, given) {
    const ids = given.ids()
    if (ids.length > MOST) throw new UsageError(`${ids.length} inscriptions: buy at most ${MOST} at a time`)
    const items = await desk.items(ids)
    const slug = desk.slugOf(items)
    const wanted = []
    for (const { inscriptionId, coin } of items) {
      const { listings } = await desk.client.call('listListings', { query: { inscriptionId } })
      const [listing] = listings
      if (!listing) throw new Failure('not-listed', `${inscriptionId} is not for sale`)
      wanted.push({ inscriptionId, coin, listingId: listing.listingId, priceSats: listing.priceSats })
    }
    const prices = wanted.map(({ priceSats }) => priceSats)
    await desk.checkPrices('buy', slug, prices)
    const priceSats = prices.reduce((sum, each) => sum + each, 0)
    const trader = await desk.trader((terms, { ordinalsAddress }) => {
      const bill = billOf(terms, priceSats, ordinalsAddress)
      return { document: { bill }, text: textOfBill(bill) }
    })
    const maxTotalSats = given.amount('max-total')
    const bought = await buyAt(trader, slug, {
      items: wanted,
      coins: await desk.coins(trader.walletBindingId),
      ...limitsOf(desk, given),
      ...(maxTotalSats === undefined ? {} : { maxTotalSats }),
    })
    return {
      document: { collection: slug, inscriptionIds: ids, priceSats, ...bought },
      text: `bought ${ids.join(', ')} for ${money(bought.costSats)} in all, settlement ${bought.settlementTxid}`,
    }
  },
}
