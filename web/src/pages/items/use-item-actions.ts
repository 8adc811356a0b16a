import { useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { lineOf } from '@ordbook/web-ui/ticket/cheapest.ts'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Item } from './item-card.tsx'

/** The choice of items for the cart, and the sale of an own one. A choice of one item leaves the functions as they are. */
export function useItemActions() {
  const cart = useCart()
  const { account } = useSession()
  const [selling, sell] = useState<Item | null>(null)
  const latestCart = useRef(cart)
  latestCart.current = cart
  const toggle = useCallback((item: Item) => {
    const line = lineOf(item)
    if (line) latestCart.current.toggle(line)
  }, [])
  const places = useMemo(
    () => new Map(cart.lines.map(({ inscriptionId }, n) => [inscriptionId, n + 1])),
    [cart.lines],
  )
  const address = account?.ordinalsAddress
  return {
    isOwn: (item: Item) => address !== undefined && item.owner === address,
    /** The place of an item among the chosen ones, from 1; null while it is not chosen. */
    placeOf: (item: Item) => places.get(item.inscriptionId) ?? null,
    toggle,
    selling,
    sell,
  }
}
