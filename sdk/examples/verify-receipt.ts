/**
 * Verifies the receipt of a settlement with a node: the payments to all parties, and every inscription's sat. Exits with code 1 if the
 * verification fails.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   npx node sdk/examples/verify-receipt.ts TXID
 */
import { Client, verifyReceipt } from '@ordbook/sdk'
import { market, ownNode, readArguments } from './settings.ts'

const [txid = ''] = readArguments('TXID')
const receipt = await new Client(market, { repeats: 4 }).call('getReceipt', { params: { txid } })

try {
  const { facts, confirmations, paths } = await verifyReceipt(receipt, ownNode(), txid)
  const { costSats, marketRevenueSats } = facts
  console.log(JSON.stringify({ txid, confirmations, costSats, marketRevenueSats, paths }, null, 2))
} catch (error) {
  console.error(`The receipt of ${txid} is invalid: ${(error as Error).message}`)
  process.exitCode = 1
}
