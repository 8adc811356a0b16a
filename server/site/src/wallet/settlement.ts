import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getSettlement as operation } from '@ordbook/contract/storefront/settlement.ts'
import { missing } from '@ordbook/db/process/errors.ts'
import type { Context } from '@ordbook/market/context.ts'
import { listNames } from '../items/inscription-queries.ts'
import { nameOf } from '../items/named-items.ts'
import { findLeavingState, findSettlementState, listSettledPrices } from './settlement-queries.ts'

const STATES = {
  intended: 'sending',
  broadcast: 'mempool',
  confirmed: 'confirmed',
  failed: 'failed',
} as const

/** Returns the state of a trade or a withdrawal from escrow. Throws `missing`. */
export async function getSettlement(
  { sql, reads, clock }: Pick<Context, 'sql' | 'reads' | 'clock'>,
  txid: string,
): Promise<AnswerOf<typeof operation>> {
  const settled = await findSettlementState(reads, txid.toLowerCase())
  // The mempool table is unlogged, so replicas do not have it.
  const found = settled ?? (await findLeavingState(sql, txid.toLowerCase()))
  if (!found) throw missing('trade-unknown', `${txid} is not a settlement of this market`)
  const { kind, state, createdAt, confirmedHeight, minedAt, tipHeight, inscriptionIds } = found
  const [items, prices] = await Promise.all([
    listNames(reads, inscriptionIds),
    settled ? listSettledPrices(reads, settled.settlementId) : new Map<string, number>(),
  ])
  return {
    txid: txid.toLowerCase(),
    kind,
    state: STATES[state],
    // The market does not record exits.
    sentAt: (createdAt ?? minedAt ?? clock()).toISOString(),
    blockHeight: confirmedHeight,
    minedAt: minedAt?.toISOString() ?? null,
    hasReceipt: settled?.hasReceipt ?? false,
    confirmations: confirmedHeight === null || tipHeight === null ? 0 : tipHeight - confirmedHeight + 1,
    items: items.map((item) => ({
      inscriptionId: item.inscriptionId,
      name: nameOf(item),
      contentType: item.contentType,
      collectionSlug: item.collectionSlug,
      priceSats: prices.get(item.inscriptionId) ?? null,
    })),
  }
}
