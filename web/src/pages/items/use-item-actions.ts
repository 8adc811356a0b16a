import { useCart } from '@ordbook/web-ui/cart/cart.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { lineOf } from '@ordbook/web-ui/ticket/cheapest.ts'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Item } from './item-card.tsx'

/** Returns stable functions to select and sell items, so that memoized cards do not rerender. */
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
    /** Returns the 1-based position in the cart, or null. */
    placeOf: (item: Item) => places.get(item.inscriptionId) ?? null,
    toggle,
    selling,
    sell,
  }
}
