import { acceptCounter } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { Failure, UsageError } from '../failure.ts'
import { demandPrice, findOffer, sellTo } from '../offers.ts'
import { spendableCoins } from '../payment-coins.ts'
import { billOf, linesOfBill } from '../review.ts'
import type { TradeSession } from '../trade-session.ts'
import {
  ALSO,
  ALSO_HELP,
  type Arguments,
  LIMITS,
  LIMITS_HELP,
  limitsOf,
  type Result,
  SPEND,
  SPEND_HELP,
  type Verb,
} from '../verb.ts'

export const accept: Verb = {
  usage: 'ID OFFER --price AMOUNT | ID COUNTER --pay AMOUNT',
  summary: 'Sell an inscription to an offer, or accept a counter to your offer',
  details: `  --price AMOUNT       Sell: the price of the offer, which can be for the inscription, its collection or a trait
  --least AMOUNT       Sell: minimum payout, after fees
  --pay AMOUNT         Buy: the price of the counter
${ALSO_HELP}
${SPEND_HELP}
${LIMITS_HELP}`,
  options: {
    price: { type: 'string' },
    least: { type: 'string' },
    pay: { type: 'string' },
    ...ALSO,
    ...SPEND,
    ...LIMITS,
  },
  run(desk, args) {
    const order = args.order()
    if (args.has('price') === args.has('pay'))
      throw new UsageError('pass --price AMOUNT to sell to an offer, or --pay AMOUNT to accept a counter')
    return args.has('price') ? sell(desk, args, order) : buy(desk, args, order)
  },
}

type Order = ReturnType<Arguments['order']>

async function sell(desk: TradeSession, args: Arguments, { inscriptionId, offerId }: Order): Promise<Result> {
  const priceSats = args.demandedAmount('price')
  const leastSats = args.amount('least')
  const items = await desk.items([inscriptionId])
  const [item] = items
  const trader = await desk.trader()
  const offer = await findOffer(desk, item!, offerId)
  if (offer.kind === 'seller_counter')
    throw new Failure('other-terms', `${offerId} is a counter: accept it with --pay, or cancel your own`)
  demandPrice(offer, priceSats, 'price')
  const { bids } = await desk.client.call('listBestBids', { query: { inscriptionIds: inscriptionId } })
  const best = bids[0]?.bid
  if (best && best.offerId !== offerId && best.priceSats > priceSats)
    desk.doubt(`offer ${best.offerId} pays more: ${money(best.priceSats)}`)
  await desk.checkPrices('sell', desk.slugOf(items), [priceSats])
  return sellTo(trader, offer, {
    inscriptionId,
    priceSats,
    coin: item!.coin,
    ...limitsOf(desk, args),
    alsoGoes: args.also(),
    ...(leastSats === undefined ? {} : { leastSats }),
  })
}

async function buy(desk: TradeSession, args: Arguments, { inscriptionId, offerId }: Order): Promise<Result> {
  const priceSats = args.demandedAmount('pay')
  const items = await desk.items([inscriptionId])
  const [item] = items
  const trader = await desk.trader((terms, { ordinalsAddress }) => {
    const bill = billOf(terms, priceSats, ordinalsAddress)
    return { document: { bill }, text: linesOfBill(bill) }
  })
  const counter = await findOffer(desk, item!, offerId)
  if (counter.kind === 'buyer_offer')
    throw new Failure('other-terms', `${offerId} is an offer: sell to it with --price`)
  demandPrice(counter, priceSats, 'pay')
  await desk.checkPrices('buy', desk.slugOf(items), [priceSats])
  const bought = await acceptCounter(trader, offerId, {
    inscriptionId,
    priceSats,
    coin: item!.coin,
    coins: await spendableCoins(desk, trader.walletBindingId, args.spend()),
    ...limitsOf(desk, args),
  })
  return {
    document: { inscriptionId, priceSats, ...bought },
    text: `bought ${inscriptionId} for ${money(bought.costSats)} in total, settlement ${bought.settlementTxid}`,
  }
}
