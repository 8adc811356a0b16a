import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { type CoinWatcher, inPortions } from '@ordbook/indexer/mempool/mempool.ts'
import { listOfferedCoins, listOffering, refreshProposals } from './queries.ts'

/** Updates proposals when the mempool spends their inscriptions. */
export const proposalsInMempool: CoinWatcher = {
  orderCoins: (sql) => inPortions((last, rows) => listOfferedCoins(sql, last, rows)),
  spent: (tx, spends) => refresh(tx, [...spends]),
  spendsDropped: (tx, { coins }) => refresh(tx, coins),
}

async function refresh(tx: Transaction, coins: readonly Outpoint[]): Promise<void> {
  const ids = coins.length > 0 ? await listOffering(tx, coins) : []
  if (ids.length > 0) await refreshProposals(tx, ids)
}
