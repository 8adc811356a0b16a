import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { spendCoins } from './queries.ts'
import type { MarketTransactionRow } from './transaction-queries.ts'

/** Whether a transaction of the market speeds a settlement up. */
export const isChild = ({ purpose }: MarketTransactionRow): boolean => purpose === 'bump'

/**
 * Holds the coins that stored children spend. A child is stored before a block creates its coin, and a miner may confirm the settlement
 * without it. That coin is not free, because the child is or will be in the mempool.
 */
export async function takeForChildren(
  tx: Transaction,
  written: readonly MarketTransactionRow[],
): Promise<void> {
  // Of a child and its replacement the later one counts.
  for (const { txid, handle, rawHex } of written.filter(isChild).toReversed())
    await spendCoins(tx, decodeTransaction(rawHex).inputs, { txid, handle, holders: [] })
}
