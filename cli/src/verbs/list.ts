import { DURATION_DAYS, list as listAt } from '@ordbook/sdk'
import { money, readAmount } from '../amounts.ts'
import { UsageError } from '../failure.ts'
import { ALSO, ALSO_HELP, LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

/** Most items of one submit. */
const MOST = 20

export const list: Verb = {
  usage: 'ID=PRICE... [--days N]',
  summary: 'lists inscriptions for sale',
  details: `  ID=PRICE             an inscription and its price: 250000 (sats) or 0.0025btc
  --days N             for 1, 7, 30, 90 or 180 days; without it until it is sold or delisted
${ALSO_HELP}
${LIMITS_HELP}`,
  options: { days: { type: 'string' }, ...ALSO, ...LIMITS },
  async run(desk, given) {
    const wishes = given.words.map((word) => {
      const [id = '', price, ...more] = word.split('=')
      if (price === undefined || more.length > 0)
        throw new UsageError(`${word}: expected an inscription and its price, ID=PRICE`)
      return { id, priceSats: readAmount(price, id) }
    })
    const ids = given.ids(wishes.map(({ id }) => id))
    if (ids.length > MOST) throw new UsageError(`${ids.length} inscriptions: list at most ${MOST} at a time`)
    const items = await desk.items(ids)
    const slug = desk.slugOf(items)
    const prices = wishes.map(({ priceSats }) => priceSats)
    await desk.checkPrices('sell', slug, prices)
    const alsoGoes = given.also()
    const { maxFeeBps, maxFeeSats } = limitsOf(desk, given)
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
      given.choice('days', DURATION_DAYS),
    )
    return {
      document: { collection: slug, listings, replaces },
      text: [
        ...listings.map(({ inscriptionId, listingId }) => {
          const { priceSats } = wishes.find(({ id }) => id === inscriptionId)!
          return `listed ${inscriptionId} for ${money(priceSats)}: ${listingId}`
        }),
        ...replaces.map(
          ({ inscriptionId, listingId }) => `ended the earlier listing of ${inscriptionId}: ${listingId}`,
        ),
      ].join('\n'),
    }
  },
}
