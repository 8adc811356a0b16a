import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { totalOf } from './own-total.ts'

interface OwnSide {
  side: 'bought' | 'sold'
  /** Paid with fees, or received after fees; null if unknown. */
  totalSats: number | null
  /** Null for several items, which can have several owners. */
  otherAddress: string | null
}

/** Returns the session's side of a confirmed sale. Null for others' sales, and for swaps. */
export function useOwnSide({ txid, minedAt }: Answer<'getSettlement'>): OwnSide | null {
  const { account } = useSession()
  // A sale has the time of its block.
  const until = new Date(Date.parse(minedAt ?? '1970-01-01') + 1000).toISOString()
  const own = useRead(
    'listOwnSales',
    { query: { since: minedAt ?? '', until, limit: 100 } },
    { enabled: account != null && minedAt !== null },
  )
  const all = (account && own.data?.sales.filter((sale) => sale.txid === txid)) || []
  const side = all[0]?.side
  const sales = all.filter((sale) => sale.side === side)
  const only = sales.length === 1 ? sales[0]! : null
  const activity = useRead(
    'listActivity',
    { query: { inscriptionId: only?.inscriptionId ?? '', kind: 'sales' } },
    { enabled: only !== null },
  )
  if (!side) return null
  const found = activity.data?.activity.find((row) => row.txid === txid)
  return { side, totalSats: totalOf(sales), otherAddress: addressOf(found, side) }
}

const addressOf = (
  found: { fromAddress: string | null; toAddress: string | null } | undefined,
  side: 'bought' | 'sold',
) => (side === 'bought' ? found?.fromAddress : found?.toAddress) ?? null
