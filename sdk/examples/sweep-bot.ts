/**
 * Buys listings of a collection at or below a price as they appear, until its budget is spent.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   WALLET=second npx node sdk/examples/sweep-bot.ts harbour-lamps 100000 500000
 */
import { ApiError, CheckFailed, coinByNode, enter, events, sweep } from '@ordbook/sdk'
import { bounds, market, ownNode, ownWallet, readArguments, untilStopped } from './settings.ts'

const [slug = '', price, budget] = readArguments('SLUG MAX_SATS BUDGET_SATS')
const maxPriceSats = Number(price)
let budgetSats = Number(budget)
const node = ownNode()
// Stops only the events, so that a pending call completes.
const signal = untilStopped()
const trader = await enter(market, ownWallet(), { repeats: 4 })

/** Buys up to 20 listings in one settlement. Returns false if none is cheap enough. */
async function buySome(): Promise<boolean> {
  const coins = await node.coinsOf(trader.wallet.paymentScript)
  const limits = { count: 20, maxPriceSats, budgetSats, coins, ...bounds }
  try {
    const bought = await sweep(trader, slug, { ...limits, coinOf: (listing) => coinByNode(node, listing) })
    budgetSats -= bought.costSats
    console.log(
      JSON.stringify({ settlementTxid: bought.settlementTxid, costSats: bought.costSats, budgetSats }),
    )
    return true
  } catch (error) {
    // A listing was sold, none is cheap enough, or the budget is too small.
    if (error instanceof CheckFailed || (error instanceof ApiError && error.status === 409)) return false
    throw error
  }
}

for await (const { kind } of events(market, { collections: [slug], signal })) {
  if (!['hello', 'reset', 'listing'].includes(kind)) continue
  while (budgetSats > 0 && (await buySome()));
  if (budgetSats < 10_000) break
}
