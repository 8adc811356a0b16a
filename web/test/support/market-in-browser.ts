import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { afterAll, beforeAll } from 'vitest'
import { startMarket, type TestMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { startBrowser, type Visitor } from './browser.ts'
import { signedIn } from './clicks.ts'

/**
 * One market and one browser for the tests of a file, started before the first test and stopped after the last: a seller and a
 * buyer with coins, and pages for both. `env`: the market's configuration. `paymentKind`: of the two wallets.
 */
export function marketInBrowser(
  options: { env?: Record<string, string>; paymentKind?: KeySpend['kind'] } = {},
) {
  let market: TestMarket
  let browser: Awaited<ReturnType<typeof startBrowser>>
  let seller: TestTrader
  let buyer: TestTrader
  beforeAll(async () => {
    market = await startMarket(options.env)
    browser = await startBrowser()
    seller = await market.trader(options.paymentKind)
    buyer = await market.trader(options.paymentKind)
  })
  afterAll(async () => {
    await browser?.close()
    await market?.stop()
  })
  const visit = (
    trader?: Pick<TestTrader, 'wallet'>,
    more?: Parameters<typeof browser.visitor>[1],
  ): Promise<Visitor> =>
    browser.visitor(market.server.url, { ...(trader ? { wallet: trader.wallet } : {}), ...more })
  return {
    get market() {
      return market
    },
    get browser() {
      return browser
    },
    get seller() {
      return seller
    },
    get buyer() {
      return buyer
    },
    /** A visitor with a trader's wallet in the browser, not signed in; a stranger without one. */
    visit,
    /** A visitor who has signed in at `path` with a trader's wallet. */
    enter: (trader: Pick<TestTrader, 'wallet'>, path?: string): Promise<Visitor> =>
      signedIn(browser, market.server.url, trader, path),
  }
}
