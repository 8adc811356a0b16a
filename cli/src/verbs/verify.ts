import { coreSource, verifyReceipt } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { Failure } from '../failure.ts'
import type { Verb } from '../verb.ts'

export const verify: Verb = {
  usage: 'TXID [--node URL]',
  summary: 'Verify the proof of a sale with a node',
  details: '  --node URL           Bitcoin Core RPC URL with user and password; needs txindex',
  options: {},
  async run(desk, args) {
    const txid = args.txid('the txid of a settlement')
    const { node } = desk.config
    if (!node) throw new Failure('no-node', 'a receipt is verified with a node: pass --node URL')
    const receipt = await desk.client.call('getReceipt', { params: { txid } })
    const { facts, confirmations, paths } = await verifyReceipt(receipt, coreSource(node), txid)
    return {
      document: { receipt, confirmations, paths },
      text: [
        ...receipt.terms.items.flatMap((item, n) => [
          `${item.inscriptionId}: ${money(item.buyerPayTotalSats)} from the buyer, ${money(item.sellerReceiveSats)} to the seller`,
          ...paths[n]!.map((step) => `  ${step}`),
        ]),
        `paid ${money(facts.costSats)}: ${money(facts.marketRevenueSats)} to the market, ${money(facts.settlementFeeSats + facts.transferFeeSats)} to the miners; ${confirmations} confirmations`,
        'the receipt matches the chain',
      ],
    }
  },
}
