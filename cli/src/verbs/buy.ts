import { buy as buyAt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { EXIT, Failure, UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import { billOf, textOfBill } from '../review.ts'
import { LIMITS, LIMITS_HELP, limitsOf, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

/** Most items of one settlement. */
const MOST = 20

export const buy: Verb = {
  usage: 'ID... [--max-price AMOUNT] [--max-total AMOUNT]',
  summary: 'buys listed inscriptions of one collection in one transaction',
  details: `  --max-price AMOUNT   most that one of them may cost, without fees and postage
  --max-total AMOUNT   most that may leave your coins in all; without a terminal, one of the two is needed
${SPEND_HELP}
${LIMITS_HELP}`,
  options: { 'max-price': { type: 'string' }, 'max-total': { type: 'string' }, ...SPEND, ...LIMITS },
  async run(desk, given) {
    const ids = given.ids()
    if (ids.length > MOST) throw new UsageError(`${ids.length} inscriptions: buy at most ${MOST} at a time`)
    const maxPriceSats = given.amount('max-price')
    const maxTotalSats = given.amount('max-total')
    const isBounded = maxPriceSats !== undefined || maxTotalSats !== undefined
    // All other reference prices come from the market.
    if (!isBounded && !desk.flags.isDryRun && !process.stdin.isTTY)
      throw new UsageError('name the most that you pay: --max-price AMOUNT or --max-total AMOUNT')
    const items = await desk.items(ids)
    const slug = desk.slugOf(items)
    const wanted = []
    for (const { inscriptionId, coin } of items) {
      const { listings } = await desk.client.call('listListings', { query: { inscriptionId } })
      const [listing] = listings
      if (!listing) throw new Failure('not-listed', `${inscriptionId} is not for sale`)
      if (listing.priceSats > (maxPriceSats ?? listing.priceSats))
        throw new Failure(
          'above-max-price',
          `${inscriptionId} costs ${money(listing.priceSats)}`,
          EXIT.unconfirmed,
        )
      wanted.push({ inscriptionId, coin, listingId: listing.listingId, priceSats: listing.priceSats })
    }
    const prices = wanted.map(({ priceSats }) => priceSats)
    const priceSats = prices.reduce((sum, each) => sum + each, 0)
    await desk.checkPrices('buy', slug, prices)
    if (!isBounded) desk.doubt(`${money(priceSats)} is what the market asks for`)
    const trader = await desk.trader((terms, { ordinalsAddress }) => {
      const bill = billOf(terms, priceSats, ordinalsAddress)
      return { document: { bill }, text: textOfBill(bill) }
    })
    const bought = await buyAt(trader, slug, {
      items: wanted,
      coins: await spendableCoins(desk, trader.walletBindingId, given.spend()),
      ...limitsOf(desk, given),
      ...(maxTotalSats === undefined ? {} : { maxTotalSats }),
    })
    return {
      document: { collection: slug, inscriptionIds: ids, priceSats, ...bought },
      text: `bought ${ids.join(', ')} for ${money(bought.costSats)} in all, settlement ${bought.settlementTxid}`,
    }
  },
}
