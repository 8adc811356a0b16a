import { buy as buyAt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { EXIT, Failure, UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import { billOf, linesOfBill } from '../review.ts'
import { LIMITS, LIMITS_HELP, limitsOf, MAX_ITEMS, SPEND, SPEND_HELP, type Verb } from '../verb.ts'

export const buy: Verb = {
  usage: 'ID... [--max-price AMOUNT] [--max-total AMOUNT]',
  summary: 'Buy listed inscriptions of one collection in one transaction',
  details: `  --max-price AMOUNT   Maximum price of each inscription, without fees and postage
  --max-total AMOUNT   Maximum total cost; without a terminal, this or --max-price is required
${SPEND_HELP}
${LIMITS_HELP}`,
  options: { 'max-price': { type: 'string' }, 'max-total': { type: 'string' }, ...SPEND, ...LIMITS },
  async run(desk, args) {
    const ids = args.ids()
    if (ids.length > MAX_ITEMS)
      throw new UsageError(`${ids.length} inscriptions: buy at most ${MAX_ITEMS} at a time`)
    const maxPriceSats = args.amount('max-price')
    const maxTotalSats = args.amount('max-total')
    const isBounded = maxPriceSats !== undefined || maxTotalSats !== undefined
    // All other reference prices come from the market.
    if (!isBounded && !desk.flags.isDryRun && !process.stdin.isTTY)
      throw new UsageError(
        'without a terminal, a limit is required: --max-price AMOUNT or --max-total AMOUNT',
      )
    const items = await desk.items(ids)
    const slug = desk.slugOf(items)
    const purchases = []
    for (const { inscriptionId, coin } of items) {
      const { listings } = await desk.client.call('listListings', { query: { inscriptionId } })
      const [listing] = listings
      if (!listing) throw new Failure('not-listed', `${inscriptionId} is not for sale`)
      if (listing.priceSats > (maxPriceSats ?? listing.priceSats))
        throw new Failure(
          'above-max-price',
          `${inscriptionId} costs ${money(listing.priceSats)}, which is above --max-price`,
          EXIT.unconfirmed,
        )
      purchases.push({ inscriptionId, coin, listingId: listing.listingId, priceSats: listing.priceSats })
    }
    const prices = purchases.map(({ priceSats }) => priceSats)
    const priceSats = prices.reduce((sum, price) => sum + price, 0)
    await desk.checkPrices('buy', slug, prices)
    if (!isBounded) desk.doubt(`the market charges ${money(priceSats)}, and you set no limit`)
    const trader = await desk.trader((terms, { ordinalsAddress }) => {
      const bill = billOf(terms, priceSats, ordinalsAddress)
      return { document: { bill }, text: linesOfBill(bill) }
    })
    const bought = await buyAt(trader, slug, {
      items: purchases,
      coins: await spendableCoins(desk, trader.walletBindingId, args.spend()),
      ...limitsOf(desk, args),
      ...(maxTotalSats === undefined ? {} : { maxTotalSats }),
    })
    return {
      document: { collection: slug, inscriptionIds: ids, priceSats, ...bought },
      text: `bought ${ids.join(', ')} for ${money(bought.costSats)} in total, settlement ${bought.settlementTxid}`,
    }
  },
}
