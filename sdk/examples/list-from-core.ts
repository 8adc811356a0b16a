/**
 * Lists an inscription at a taproot address of a Bitcoin Core wallet. The keys never leave the node. The wallet must be an unlocked
 * descriptor wallet (`walletpassphrase`).
 *
 *   export NODE_URL=http://USER:PASSWORD@127.0.0.1:18443
 *   CORE_WALLET=trading ORDINALS_ADDRESS=bcrt1p… PAYMENT_ADDRESS=bcrt1q… \
 *     npx node sdk/examples/list-from-core.ts harbour-lamps INSCRIPTION 250000
 */
import { coinByNode, coreWallet, enter, list } from '@ordbook/sdk'
import { bounds, market, ownNode, readArguments } from './settings.ts'

const [slug = '', inscriptionId = '', price] = readArguments('SLUG INSCRIPTION PRICE_SATS')
const { NODE_URL = '', CORE_WALLET = '', ORDINALS_ADDRESS = '', PAYMENT_ADDRESS = '' } = process.env
const node = ownNode()
const wallet = await coreWallet(new URL(`/wallet/${CORE_WALLET}`, NODE_URL).href, {
  ordinals: ORDINALS_ADDRESS,
  payment: PAYMENT_ADDRESS,
  network: 'regtest',
})
const trader = await enter(market, wallet, { repeats: 4 })

for await (const item of trader.client.inscriptions(slug)) {
  if (item.inscriptionId !== inscriptionId) continue
  const coin = await coinByNode(node, item)
  const agreement = { inscriptionId, priceSats: Number(price), coin, maxFeeBps: bounds.maxFeeBps }
  const { listings } = await list(trader, slug, [agreement], 30)
  console.log(JSON.stringify(listings[0]))
}
