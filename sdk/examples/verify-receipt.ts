/**
 * Verifies a settlement against a node alone: the payments to all sides, and that each sat is the inscription's. The market only
 * gives the receipt, and is not believed. Ends with code 1 where something does not hold.
 *
 *   export NODE_URL=$(npm run -s demo -- node)
 *   npx node sdk/examples/verify-receipt.ts TXID
 */
import { Client, verifyReceipt } from '@ordbook/sdk'
import { market, ownNode, readArguments } from './settings.ts'

const [txid = ''] = readArguments('TXID')
const receipt = await new Client(`${market}/api/v1`, { repeats: 4 }).call('getReceipt', { params: { txid } })

try {
  const { facts, confirmations, paths } = await verifyReceipt(receipt, ownNode(), txid)
  const { costSats, marketRevenueSats } = facts
  console.log(JSON.stringify({ txid, confirmations, costSats, marketRevenueSats, paths }, null, 2))
} catch (error) {
  console.error(`${txid} is not what the market says: ${(error as Error).message}`)
  process.exitCode = 1
}
