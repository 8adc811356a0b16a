import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { listSales as listOperation } from '@ordbook/contract/sales.ts'
import { cachedFeed } from '@ordbook/http/responses/cached-feed.ts'
import { jsonListOf, jsonOf } from '@ordbook/http/responses/raw-json.ts'
import type { BlockConsumer } from '@ordbook/indexer/blocks/block-consumer.ts'
import { describeItem } from '../collections/rendered-item.ts'
import type { Context } from '../context.ts'
import type { PagedUseCase } from '../use-case.ts'
import {
  deleteSalesAt,
  listSaleRows,
  SALES_ORDER,
  type SaleRow,
  saveRenderedSales,
  sliceSales,
} from './queries.ts'

export const listSales: PagedUseCase<typeof listOperation> = async (context, cursors, { query }) => {
  const { sql, reads, config } = context
  const { limit = 50, cursor } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  return cachedFeed(context, cursors, {
    scope: ['sales', collectionSlug],
    order: SALES_ORDER,
    limit,
    cursor,
    slice: (page) => sliceSales(reads, { collectionSlug, ...page }),
    render: async (page, from) =>
      (await listSaleRows(from, { collectionSlug, ...page })).map((row) => ({
        id: String(row.saleId),
        version: row.renderedVersion,
        text: JSON.stringify(renderSale(row, config.addressNetwork)),
        expiresAt: null,
        keys: row.keys,
      })),
    keep: (rendered) => saveRenderedSales(sql, rendered),
    finish: (rows, pagination, { collectionId }) => ({
      json: jsonOf<AnswerOf<typeof listOperation>>({ sales: jsonListOf(rows), pagination }),
      tags: [collectionId ? `c:${collectionId}` : collectionSlug === null ? 'sales' : 'collections'],
    }),
  })
}

export function renderSale(
  row: SaleRow,
  addressNetwork: Context['config']['addressNetwork'],
): AnswerOf<typeof listOperation>['sales'][number] {
  const addressOf = (script: Uint8Array | null) => script && addressOfScript(script, addressNetwork)
  return {
    saleId: String(row.saleId),
    saleType: row.saleType,
    txid: row.txid,
    ...describeItem(row),
    sellerAddress: addressOf(row.sellerScript),
    buyerAddress: addressOf(row.buyerScript),
    priceSats: row.priceSats,
    price: btcOfSats(row.priceSats),
    priceUsd: row.priceUsd,
    soldAt: row.soldAt.toISOString(),
    blockHeight: row.height,
  }
}

/** Deletes the sales of undone blocks. Settlement kinds insert sales. */
export const salesOnBlock: BlockConsumer = {
  name: 'sales',
  async apply() {},
  undo: deleteSalesAt,
}
