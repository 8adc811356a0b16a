import { cancelOffer, counter as counterAt, VALIDITY_HOURS } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { ALSO, ALSO_HELP, LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

export const counter: Verb = {
  usage: 'ID OFFER --price AMOUNT | ID COUNTER --cancel',
  summary: 'Answer an offer for an inscription with another price',
  details: `  --price AMOUNT       Price that the buyer can accept
  --hours N            Validity: 6, 12, 24, 168, 720 or 2160 hours
  --cancel             Cancel your counter instead
${ALSO_HELP}
${LIMITS_HELP}`,
  options: {
    price: { type: 'string' },
    hours: { type: 'string' },
    cancel: { type: 'boolean' },
    ...ALSO,
    ...LIMITS,
  },
  async run(desk, args) {
    const { inscriptionId, offerId } = args.order()
    if (args.has('cancel')) {
      const trader = await desk.trader()
      if (desk.flags.isDryRun)
        return { document: { dryRun: true, offerId }, text: `would cancel counter ${offerId}` }
      const cancelled = await cancelOffer(trader, { id: inscriptionId, offerId })
      return { document: cancelled, text: `cancelled counter ${offerId}` }
    }
    const priceSats = args.demandedAmount('price')
    const items = await desk.items([inscriptionId])
    await desk.checkPrices('sell', desk.slugOf(items), [priceSats])
    const made = await counterAt(
      await desk.trader(),
      offerId,
      {
        inscriptionId,
        priceSats,
        coin: items[0]!.coin,
        ...limitsOf(desk, args),
        alsoGoes: args.also(),
      },
      args.choice('hours', VALIDITY_HOURS),
    )
    return {
      document: { inscriptionId, priceSats, ...made },
      text: `countered with ${money(priceSats)} for ${inscriptionId}: ${made.offerId}`,
    }
  },
}
