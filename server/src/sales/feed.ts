import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listSales as listOperation } from '@ordbook/contract/sales.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { describeItem } from '../collections/item-card.ts'
import type { Context } from '../context.ts'
import { type CursorCodec, pageOf } from '../http/cursor.ts'
import { deleteSalesAt, listSaleRows } from './queries.ts'

/** A page of confirmed sales. */
export async function listSales(
  { sql, config }: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<AnswerOf<typeof listOperation>> {
  const { limit = 50 } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const scope = ['sales', collectionSlug]
  const keys = cursors.decode(scope, query.cursor)
  const rows = await listSaleRows(sql, {
    after: keys && { height: Number(keys[0]), saleId: Number(keys[1]) },
    collectionSlug,
    limit: limit + 1,
  })
  const addressOf = (script: Uint8Array | null) => script && addressOfScript(script, config.addressNetwork)
  const { page, pagination } = pageOf(rows, limit, (row) => cursors.encode(scope, [row.height, row.saleId]))
  return {
    sales: page.map((row) => ({
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
    })),
    pagination,
  }
}

/** Sales are written by what settles; a block that goes takes its sales along. */
export const salesOnBlock: BlockConsumer = {
  name: 'sales',
  async apply() {},
  undo: deleteSalesAt,
}
