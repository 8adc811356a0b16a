import { openLog } from '@ordbook/db/process/log.ts'
import { type Following, type FollowOptions, followChain } from '@ordbook/indexer/follow.ts'
import { spentOnBlock } from '@ordbook/indexer/mempool/mempool.ts'
import { updateSortKeys } from '@ordbook/market/collections/import-queries.ts'
import {
  chainCollectionsOnBlock,
  markParents,
  refreshStale,
} from '@ordbook/market/collections/new-children.ts'
import { collectionsOnBlock } from '@ordbook/market/collections/on-block.ts'
import { escrowsOnBlock } from '@ordbook/market/escrows/on-block.ts'
import { listingsOnBlock } from '@ordbook/market/listings/on-block.ts'
import { listingsInMempool } from '@ordbook/market/listings/recheck.ts'
import { marketCoinsOnBlock } from '@ordbook/market/market-coins/on-block.ts'
import { proposalsInMempool } from '@ordbook/market/proposals/in-mempool.ts'
import { externalSalesOnBlock } from '@ordbook/market/sales/detect.ts'
import { salesOnBlock } from '@ordbook/market/sales/feed.ts'
import { transfersOnBlock } from '@ordbook/market/sales/transfers.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import {
  dependentsInMempool,
  dependentsOnBlock,
  endDependents,
  recheckDependents,
} from '@ordbook/market/settlements/dependent-orders.ts'
import { settlementsOnBlock } from '@ordbook/market/settlements/on-block.ts'
import type { MarketKeys } from '@ordbook/signer/requests.ts'

/** Options of `follow`. Serializable, so that they can be sent to a worker thread. */
export interface MarketFollowOptions extends FollowOptions {
  market: MarketKeys
}

/** Follows the chain and updates all market data. */
export const follow = (
  { market, ...options }: MarketFollowOptions,
  onProgress: (height: number, target: number) => void,
): Following =>
  followChain(
    options,
    {
      // Settlements must record their sales before listings look for unexplained moves.
      onBlock: [
        collectionsOnBlock,
        chainCollectionsOnBlock,
        marketCoinsOnBlock(market),
        salesOnBlock,
        settlementsOnBlock(settlementKinds, openLog(options.config)),
        externalSalesOnBlock,
        transfersOnBlock,
        spentOnBlock(endDependents(settlementKinds.orders)),
        dependentsOnBlock,
        escrowsOnBlock,
        listingsOnBlock,
      ],
      inMempool: [dependentsInMempool(settlementKinds.orders), listingsInMempool, proposalsInMempool],
      afterMempool: (sources) => recheckDependents(sources, settlementKinds.orders),
      onAdopted: updateSortKeys,
      onParents: markParents,
      afterBlocks: refreshStale,
    },
    onProgress,
  )
