import { MAX_AT_ONCE, useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { sweep as words } from '@ordbook/web-ui/strings/collection.ts'
import { cheapestOf } from '@ordbook/web-ui/ticket/cheapest.ts'
import { notify } from '@ordbook/web-ui/ui/messages/toast-list.ts'
import { useState } from 'react'
import type { filtersOf } from './collection-search.ts'

/** Returns a function that adds the cheapest items to the cart and opens it. */
export function useSweep(slug: string) {
  const cart = useCart()
  const { account } = useSession()
  const [isBusy, setBusy] = useState(false)
  const sweep = async (
    filters: ReturnType<typeof filtersOf>,
    { count, maxSats }: { count: number; maxSats?: number },
  ) => {
    setBusy(true)
    try {
      const query = JSON.stringify({ ...filters, ...(maxSats ? { maxSats } : {}) })
      const most = Math.min(count, MAX_AT_ONCE)
      const lines = await cheapestOf(slug, query, { count: most, owner: account?.ordinalsAddress })
      if (lines.length === 0) return notify({ kind: 'note', title: words.none, subject: 'cart' })
      cart.add(lines)
      cart.show(true)
    } catch {
      notify({ kind: 'bad', title: words.failed, subject: 'cart' })
    } finally {
      setBusy(false)
    }
  }
  return { sweep, isBusy }
}
