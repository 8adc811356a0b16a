import type { listOwnSales as operation } from '@ordbook/contract/storefront/values.ts'
import { paginationOf } from '@ordbook/http/operations/cursor.ts'
import { scriptsOf } from '@ordbook/market/proposals/own.ts'
import type { PagedUseCase } from '@ordbook/market/use-case.ts'
import { nameOf } from '../items/named-items.ts'
import { listOwnSaleRows, type OwnSaleRow } from './own-sale-queries.ts'

const KEYS = [{ type: 'timestamptz' }, { type: 'bigint' }, { type: 'text' }] as const

export const listOwnSales: PagedUseCase<typeof operation> = async (context, cursors, { session, query }) => {
  const { limit = 100, cursor, since, until } = query
  const scope = ['own-sales', session.profileId, since, until]
  const after = cursors.decode(scope, cursor, KEYS)
  const rows = await listOwnSaleRows(context.reads, {
    scripts: await scriptsOf(context, session),
    since: since === undefined ? null : new Date(since),
    until: until === undefined ? null : new Date(until),
    after: after && { soldAt: after[0], saleId: after[1], side: after[2] },
    rows: limit + 1,
  })
  const page = rows.slice(0, limit)
  return {
    sales: page.map((row) => ({
      side: row.side,
      soldAt: row.soldAt.toISOString(),
      txid: row.txid,
      inscriptionId: row.inscriptionId,
      name: nameOf(row),
      collectionSlug: row.collectionSlug,
      collectionName: row.collectionName,
      priceSats: row.priceSats,
      feesSats: feesOf(row),
      costSats: row.costSats,
      priceUsd: row.priceUsd,
    })),
    pagination: paginationOf(rows.length, limit, () => {
      const last = page.at(-1)!
      return cursors.encode(scope, [last.soldAtText, last.saleId, last.side])
    }),
  }
}

/** Returns one side's fees and royalties, or null if unknown. */
function feesOf({ side, priceSats, paidSats, receivedSats }: OwnSaleRow): number | null {
  if (side === 'bought') return paidSats === null ? null : paidSats - priceSats
  return receivedSats === null ? null : priceSats - receivedSats
}
