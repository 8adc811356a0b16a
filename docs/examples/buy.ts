import { coinByNode, coreNode, enter, sweep } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'

const node = coreNode(process.env.NODE_URL!)
const { second: wallet } = demoWallets('regtest')
const trader = await enter(process.env.MARKET ?? 'http://127.0.0.1:4000', wallet)

const { settlementTxid, costSats } = await sweep(trader, 'harbour-lamps', {
  count: 1,
  budgetSats: 500_000,
  coins: await node.coinsOf(wallet.paymentScript),
  coinOf: (listing) => coinByNode(node, listing),
  maxFeeBps: 500,
  maxNetworkSats: 50_000,
})
console.log(`bought for ${costSats} sats in ${settlementTxid}`)
