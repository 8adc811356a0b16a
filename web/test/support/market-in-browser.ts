import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { setUpMarket, setUpTrader, type TestTrader } from '../../../e2e/support/market.ts'
import { setUpBrowser, type Visitor } from './browser.ts'
import { signedIn } from './clicks.ts'

/**
 * One market and one browser for the tests of a file, started before the first test and stopped after the last: a seller and a
 * buyer with coins, and pages for both. `env`: the market's configuration. `paymentKind`: of the two wallets.
 */
export function marketInBrowser(
  options: { env?: Record<string, string>; paymentKind?: KeySpend['kind'] } = {},
) {
  const market = setUpMarket(options.env)
  const browser = setUpBrowser()
  const seller = setUpTrader(market, options.paymentKind)
  const buyer = setUpTrader(market, options.paymentKind)
  const visit = (
    trader?: Pick<TestTrader, 'wallet'>,
    more?: Parameters<typeof browser.visitor>[1],
  ): Promise<Visitor> =>
    browser.visitor(market.server.url, { ...(trader ? { wallet: trader.wallet } : {}), ...more })
  return {
    market,
    browser,
    seller,
    buyer,
    /** A visitor with a trader's wallet in the browser, not signed in; a stranger without one. */
    visit,
    /** A visitor who has signed in at `path` with a trader's wallet. */
    enter: (trader: Pick<TestTrader, 'wallet'>, path?: string): Promise<Visitor> =>
      signedIn(browser, market.server.url, trader, path),
  }
}
