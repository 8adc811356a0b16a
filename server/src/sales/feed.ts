import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import type { listSales as listOperation } from '@ordbook/contract/sales.ts'
import type { BlockConsumer } from '../chain/follower.ts'
import { describeItem } from '../collections/item-card.ts'
import { findCollection } from '../collections/queries.ts'
import type { Context } from '../context.ts'
import { type CursorCodec, paginationOf } from '../http/cursor.ts'
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
  const { sql, pages, clock } = context
  const { limit = 50 } = query
  const collectionSlug = query.collectionSlug?.toLowerCase() ?? null
  const scope = ['sales', collectionSlug]
  const keys = cursors.decode(scope, query.cursor)
  return pages.read([...scope, limit, query.cursor], clock, async () => {
    const collection = collectionSlug === null ? null : await findCollection(sql, collectionSlug)
    const unknown = collectionSlug !== null && !collection
    const page: SalesPage = {
      after: keys && { height: Number(keys[0]), saleId: Number(keys[1]) },
      collectionId: collection?.collectionId ?? null,
      rows: limit + 1,
    }
    const { cards, rowCount, lastKeys } = unknown ? NOTHING : await cardsOfSales(context, page)
    const pagination = paginationOf(rowCount, limit, () => cursors.encode(scope, lastKeys))
    return {
      body: Buffer.from(`{"sales":[${cards ?? ''}],"pagination":${JSON.stringify(pagination)}}`),
      tags: unknown ? ['collections'] : collection ? [`c:${collection.collectionId}`] : ['sales'],
      validUntil: null,
    }
  })
}

const NOTHING = { cards: null, rowCount: 0, lastKeys: [] }

async function cardsOfSales({ sql, config }: Context, page: SalesPage) {
  const slice = await sliceSales(sql, page)
  if (!slice.stale) return { ...slice, lastKeys: [slice.lastHeight!, slice.lastSaleId!] }
  const rows = await listSaleRows(sql, page)
  const shown = rows.slice(0, page.rows - 1).map((row) => ({
    id: String(row.saleId),
    version: row.cardVersion,
    card: JSON.stringify(renderSale(row, config.addressNetwork)),
  }))
  await writeSaleCards(sql, shown)
  const last = rows[page.rows - 2]
  return {
    cards: shown.map((each) => each.card).join(','),
    rowCount: rows.length,
    lastKeys: last ? [last.height, last.saleId] : [],
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
