import { DURATION_DAYS, list as listAt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { ALSO, ALSO_HELP, LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

export const list: Verb = {
  usage: 'ID=PRICE... [--days N]',
  summary: 'List inscriptions for sale',
  details: `  ID=PRICE             Inscription and price: 250000 (sats) or 0.0025btc
  --days N             Duration: 1, 7, 30, 90 or 180 days (default: until sold or delisted)
${ALSO_HELP}
${LIMITS_HELP}`,
  options: { days: { type: 'string' }, ...ALSO, ...LIMITS },
  async run(desk, args) {
    const entries = args.prices()
    const items = await desk.items(entries.map(({ id }) => id))
    const slug = desk.slugOf(items)
    const prices = entries.map(({ priceSats }) => priceSats)
    await desk.checkPrices('sell', slug, prices)
    const alsoGoes = args.also()
    const { maxFeeBps, maxFeeSats } = limitsOf(desk, args)
    const trader = await desk.trader()
    const { listings, replaces } = await listAt(
      trader,
      slug,
      items.map(({ inscriptionId, coin }, n) => ({
        inscriptionId,
        priceSats: prices[n]!,
        coin,
        maxFeeBps,
        maxFeeSats,
        alsoGoes,
      })),
      args.choice('days', DURATION_DAYS),
    )
    return {
      document: { collection: slug, listings, replaces },
      text: [
        ...listings.map(({ inscriptionId, listingId }) => {
          const { priceSats } = entries.find(({ id }) => id === inscriptionId)!
          return `listed ${inscriptionId} for ${money(priceSats)}: ${listingId}`
        }),
        ...replaces.map(
          ({ inscriptionId, listingId }) => `ended the previous listing of ${inscriptionId}: ${listingId}`,
        ),
      ],
    }
  },
}
