import { acceptOffer, fill as fillAt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { EXIT, Failure } from '../failure.ts'
import { ALSO, ALSO_HELP, LIMITS, LIMITS_HELP, limitsOf, type Verb } from '../verb.ts'

export const fill: Verb = {
  usage: 'ID [--least AMOUNT]',
  summary: 'sells an inscription to the best offer',
  details: `  --least AMOUNT       Minimum payout, after fees
${ALSO_HELP}
${LIMITS_HELP}`,
  options: { least: { type: 'string' }, ...ALSO, ...LIMITS },
  async run(desk, given) {
    const items = await desk.items(given.ids([given.only('the id of an inscription')]))
    const { inscriptionId, coin } = items[0]!
    const least = given.amount('least')
    const trader = await desk.trader()
    const { bids } = await desk.client.call('listBestBids', { query: { inscriptionIds: inscriptionId } })
    const [best] = bids
    if (!best) throw new Failure('no-offer', `no offer for ${inscriptionId} now`)
    const { offerId, priceSats, netSats, collectionSlug } = best.bid
    if (least !== undefined && netSats < least)
      throw new Failure(
        'below-least',
        `the best offer, ${money(priceSats)}, leaves ${money(netSats)} after all fees`,
        EXIT.unconfirmed,
      )
    await desk.checkPrices('sell', desk.slugOf(items), [priceSats])
    desk.out.note(`offer ${offerId}: ${money(priceSats)}, of which ${money(netSats)} are yours`)
    const agreement = {
      inscriptionId,
      priceSats,
      coin,
      ...limitsOf(desk, given),
      alsoGoes: given.also(),
      ...(least === undefined ? {} : { leastSats: least }),
    }
    const sold =
      collectionSlug === null
        ? await acceptOffer(trader, offerId, agreement)
        : await fillAt(trader, collectionSlug, offerId, { ...agreement, evenBelowTopOffer: true })
    return {
      document: { inscriptionId, priceSats, ...sold },
      text: `sold ${inscriptionId} for ${money(priceSats)}: ${money(sold.payoutSats)} are yours, settlement ${sold.settlementTxid}`,
    }
  },
}
