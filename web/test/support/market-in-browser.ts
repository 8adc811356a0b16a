import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { setUpMarket, setUpTrader, type TestTrader } from '../../../e2e/support/market.ts'
import { setUpBrowser, type Visitor } from './browser.ts'
import { signedIn } from './clicks.ts'

/** Sets up a market, a browser, a seller and a buyer. `env`: settings of the market. `paymentKind`: payment script type of both wallets. */
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
    /** Opens the storefront signed out. */
    visit,
    /** Opens `path` signed in with a trader's wallet. */
    enter: (trader: Pick<TestTrader, 'wallet'>, path?: string): Promise<Visitor> =>
      signedIn(browser, market.server.url, trader, path),
  }
}
