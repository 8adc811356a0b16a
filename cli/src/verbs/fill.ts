import { money } from '../amounts.ts'
import { EXIT, Failure } from '../failure.ts'
import { sellTo } from '../offers.ts'
import { ALSO, ALSO_HELP, LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

export const fill: Verb = {
  usage: 'ID [--least AMOUNT]',
  summary: 'Sell an inscription to the best offer',
  details: `  --least AMOUNT       Minimum payout, after fees
${ALSO_HELP}
${LIMITS_HELP}`,
  options: { least: { type: 'string' }, ...ALSO, ...LIMITS },
  async run(desk, args) {
    const items = await desk.items(args.ids([args.only('an inscription id')]))
    const { inscriptionId, coin } = items[0]!
    const least = args.amount('least')
    const trader = await desk.trader()
    const { bids } = await desk.client.call('listBestBids', { query: { inscriptionIds: inscriptionId } })
    const [best] = bids
    if (!best) throw new Failure('no-offer', `there is no offer for ${inscriptionId}`)
    const { offerId, priceSats, netSats, collectionSlug } = best.bid
    if (least !== undefined && netSats < least)
      throw new Failure(
        'below-least',
        `the best offer, ${money(priceSats)}, pays ${money(netSats)} after all fees, which is below --least`,
        EXIT.unconfirmed,
      )
    await desk.checkPrices('sell', desk.slugOf(items), [priceSats])
    desk.out.note(`offer ${offerId}: ${money(priceSats)}, ${money(netSats)} after fees`)
    const agreement = {
      inscriptionId,
      priceSats,
      coin,
      ...limitsOf(desk, args),
      alsoGoes: args.also(),
      ...(least === undefined ? {} : { leastSats: least }),
    }
    return sellTo(trader, { offerId, collectionSlug }, agreement)
  },
}
