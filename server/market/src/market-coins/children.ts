import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { spendCoins } from './queries.ts'
import type { MarketTransactionRow } from './transaction-queries.ts'

export const isChild = ({ purpose }: MarketTransactionRow): boolean => purpose === 'bump'

/**
 * Reserves the coins that stored fee-bump children spend. A block may confirm a settlement without its child, whose coin then appears as a
 * new coin but is not free.
 */
export async function takeForChildren(
  tx: Transaction,
  written: readonly MarketTransactionRow[],
): Promise<void> {
  // Latest first: a replacement takes precedence.
  for (const { txid, handle, rawHex } of written.filter(isChild).toReversed())
    await spendCoins(tx, decodeTransaction(rawHex).inputs, { txid, handle, holders: [] })
}
