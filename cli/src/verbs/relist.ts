import { DURATION_DAYS, relist as relistAt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { escrowsOf } from '../escrows.ts'
import { LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

export const relist: Verb = {
  usage: 'ID=PRICE... [--days N]',
  summary: 'List inscriptions that are in escrow, or change their prices',
  details: `  ID=PRICE             Inscription and price: 250000 (sats) or 0.0025btc
  --days N             Duration: 1, 7, 30, 90 or 180 days (default: until sold or delisted)
${LIMITS_HELP}
Prices that you signed before stay on record at the market until the escrow coin is spent: ordbook move makes them invalid.
`,
  options: { days: { type: 'string' }, ...LIMITS },
  async run(desk, args) {
    const entries = args.prices()
    const items = await desk.items(entries.map(({ id }) => id))
    const slug = desk.slugOf(items)
    const escrows = escrowsOf(items)
    const prices = entries.map(({ priceSats }) => priceSats)
    await desk.checkPrices('sell', slug, prices)
    const { maxFeeBps, maxFeeSats } = limitsOf(desk, args)
    const agreements = items.map(({ inscriptionId }, n) => ({
      inscriptionId,
      priceSats: prices[n]!,
      escrow: escrows[n]!,
      maxFeeBps,
      maxFeeSats,
    }))
    const { listings } = await relistAt(await desk.trader(), agreements, args.choice('days', DURATION_DAYS))
    return {
      document: { collection: slug, listings },
      text: listings.map(
        ({ listingId }, n) => `listed ${entries[n]!.id} for ${money(prices[n]!)}: ${listingId}`,
      ),
    }
  },
}
