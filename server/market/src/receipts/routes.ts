import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { operations } from '@ordbook/contract/index.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getStatus } from '@ordbook/contract/record.ts'
import { type Route, route } from '@ordbook/http/operations/operations.ts'
import type { Context } from '../context.ts'
import { getEligibility } from './eligibility.ts'
import { getOrder } from './order.ts'
import { getReceipt } from './receipt.ts'

export function recordRoutes(
  context: Context,
  status: { describe(): Promise<AnswerOf<typeof getStatus>> },
): Route[] {
  return [
    route(operations.getStatus, () => status.describe()),
    route(operations.getOrder, ({ params }) => getOrder(context, params.listingId)),
    route(operations.getEligibility, ({ params }) => getEligibility(context, params.txid)),
    route(operations.getMarketKeys, async () => ({
      cosignKey: bytesToHex(context.market.cosignKey),
      guardianKey: bytesToHex(context.guardian.key),
      marketAddress: addressOfScript(context.market.coinScript, context.config.addressNetwork)!,
    })),
    route(operations.getReceipt, ({ params }) => getReceipt(context, params.txid)),
  ]
}
