import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listSales as listOperation } from '@ordbook/contract/sales.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { describeItem } from '../collections/item-card.ts'
import type { Context } from '../context.ts'
import { type CursorCodec, cutCards, joinCards, paginationOf } from '../http/cursor.ts'
import {
  deleteSalesAt,
  listSaleRows,
  type SaleRow,
  type SalesPage,
  sliceSales,
  writeSaleCards,
} from './queries.ts'

/** A page of confirmed sales. */
export async function listSales(
  context: Context,
  cursors: CursorCodec,
  query: QueryOf<typeof listOperation>,
): Promise<Buffer> {
  const { pages, clock } = context
  const { limit = 50 } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const scope = ['sales', collectionSlug]
  const keys = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const page: SalesPage = {
      after: keys && { height: Number(keys[0]), saleId: Number(keys[1]) },
      collectionSlug,
      rows: limit + 1,
    }
    const slice = await sliceSales(context.reads, page)
    const found = slice.stale ? await renderSales(context, page) : slice
    const pagination = paginationOf(found.rowCount, limit, () =>
      cursors.encode(scope, [found.lastHeight!, found.lastSaleId!]),
    )
    const { collectionId } = slice
    return {
      body: Buffer.from(`{"sales":[${cutCards(found, limit)}],"pagination":${JSON.stringify(pagination)}}`),
      tags: [collectionId ? `c:${collectionId}` : collectionSlug === null ? 'sales' : 'collections'],
      validUntil: null,
    }
  })
}

/** The same page from what its cards are made of; keeps the cards. */
async function renderSales({ sql, config }: Context, page: SalesPage) {
  const rows = await listSaleRows(sql, page)
  const cards = rows.map((row) => ({
    id: String(row.saleId),
    version: row.cardVersion,
    card: JSON.stringify(renderSale(row, config.addressNetwork)),
  }))
  await writeSaleCards(sql, cards)
  const last = rows[page.rows - 2]
  return {
    ...joinCards(cards),
    lastHeight: last?.height,
    lastSaleId: last?.saleId,
  }
}

/** One sale as the API shows it. */
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

/** Sales are written by what settles; a block that goes takes its sales along. */
export const salesOnBlock: BlockConsumer = {
  name: 'sales',
  async apply() {},
  undo: deleteSalesAt,
}
