import { coinByNode, coreNode, enter, list } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'

/** Lists the first unlisted lamp of the first demo wallet, or an inscription of another collection. */
const slug = process.argv[2] ?? 'harbour-lamps'
const node = coreNode(process.env.NODE_URL!)
const { first: wallet } = demoWallets('regtest')
const trader = await enter(process.env.MARKET ?? 'http://127.0.0.1:4000', wallet)

for await (const item of trader.client.inscriptions(slug)) {
  if (item.owner !== wallet.ordinalsAddress || item.listingState !== null) continue
  const coin = await coinByNode(node, item)
  const agreement = { inscriptionId: item.inscriptionId, priceSats: 250_000, coin, maxFeeBps: 500 }
  const { listings } = await list(trader, slug, [agreement], 7)
  console.log(`listed ${item.name}: ${listings[0]!.listingId}`)
  break
}
