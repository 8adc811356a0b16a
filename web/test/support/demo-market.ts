import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { acceptProposal, Client, propose, signIn } from '@ordbook/sdk/index.ts'
import { beforeAll } from 'vitest'
import { setUpMarket, type TestMarket, type TestTrader } from '../../../e2e/support/market.ts'
import { coinsOf } from '../../../e2e/support/offers.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'
import { seedChain, seedMarket, splitCoins } from '../../../scripts/demo/seed.ts'
import { setUpBrowser } from './browser.ts'

/**
 * Sets up a market with the demo's collections, a browser, and the demo's two wallets: the owner of the items, and a buyer. `coins`: values
 * of the payment coins of each wallet. The returned traders are empty until the market has started.
 */
export function setUpDemoMarket(
  env: Record<string, string>,
  coins: readonly number[],
): {
  market: ReturnType<typeof setUpMarket>
  browser: ReturnType<typeof setUpBrowser>
  owner: TestTrader
  buyer: TestTrader
  itemsOf: (slug: string) => Promise<string[]>
} {
  const market = setUpMarket({ MARKET_NAME: 'ordbook', FIAT_PER_BTC: '90000', ...env })
  const browser = setUpBrowser()
  const [owner, buyer] = [{} as TestTrader, {} as TestTrader]
  beforeAll(async () => {
    const { sql, server, node, dataDir } = market
    const demo = [node.url, dataDir, 'regtest', () => {}] as const
    await seedChain(...demo)
    await seedMarket({ sql, marketAddress: server.marketAddress }, ...demo)
    await splitCoins(sql, node.url, () => {})
    const wallets = demoWallets('regtest')
    await market.regtest.pay(
      [wallets.first, wallets.second].flatMap(({ paymentScript: script }) =>
        coins.map((valueSats) => ({ valueSats, script })),
      ),
    )
    await market.mine()
    for (const [trader, wallet] of [
      [owner, wallets.first],
      [buyer, wallets.second],
    ] as const) {
      const client = new Client(market.base)
      const session = await signIn(client, wallet, new URL(market.base).host)
      Object.assign(trader, { client, wallet, walletBindingId: session.walletBindings[0]!.walletBindingId })
    }
  }, 300_000)
  const itemsOf = async (slug: string) => {
    const { items } = await owner.client.call('listCollectionInscriptions', { params: { slug } })
    return items.map((item) => item.inscriptionId)
  }
  return { market, browser, owner, buyer, itemsOf }
}

/** A proposal of two charts for one lamp and 40,000 sats. */
interface Swap {
  id: string
  legId: string
  charts: readonly string[]
}

export async function proposeSwap(
  market: TestMarket,
  by: TestTrader,
  charts: readonly string[],
): Promise<Swap> {
  const { id, wantedLegs } = await propose(await traderAtStorefront(market.server.url, by.wallet), {
    visibility: 'public',
    offeredInscriptionIds: [...charts],
    offeredBtcSats: 0,
    wantedLegs: [{ collectionSlug: 'harbour-lamps', quantity: 1, target: { kind: 'all' } }],
    requestedBtcSats: 40_000,
  })
  return { id, legId: wantedLegs[0]!.id, charts }
}

/** Accepts a swap with a lamp. Pays with `coins`, by default all of the trader's. */
export async function acceptSwap(
  market: TestMarket,
  by: TestTrader,
  { id, legId, charts, lamp, coins }: Swap & { lamp: string; coins?: Awaited<ReturnType<typeof coinsOf>> },
): Promise<void> {
  const known = async (inscriptionId: string) => ({ inscriptionId, coin: await market.coinOf(inscriptionId) })
  await acceptProposal(
    await traderAtStorefront(market.server.url, by.wallet),
    id,
    [{ legId, inscriptionId: lamp }],
    {
      gives: [await known(lamp)],
      gets: await Promise.all(charts.map(known)),
      netSats: -40_000,
      coins: coins ?? (await coinsOf(market, by)),
      maxMarketSats: 100_000,
      maxNetworkSats: 100_000,
    },
  )
}
