import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { spendCoins } from './queries.ts'
import type { MarketTransactionRow } from './transaction-queries.ts'

export const isChild = ({ purpose }: MarketTransactionRow): boolean => purpose === 'bump'

/**
 * Reserves the coins that stored fee-bump children spend. A block may confirm the settlement without its child. The child's coin then
 * appears as a new coin but is not free, because the child spends it in the mempool.
 */
export async function takeForChildren(
  tx: Transaction,
  written: readonly MarketTransactionRow[],
): Promise<void> {
  // Latest first, so that a replacement takes precedence over the child that it replaces.
  for (const { txid, handle, rawHex } of written.filter(isChild).toReversed())
    await spendCoins(tx, decodeTransaction(rawHex).inputs, { txid, handle, holders: [] })
}
