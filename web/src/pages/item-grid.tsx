import { useCallback, useMemo, useRef, useState } from 'react'
import { useCart } from '../cart.tsx'
import { useSession } from '../session.tsx'
import { lineOf } from '../ticket/cheapest.ts'
import { useBestBids } from './best-bids.ts'
import { Grid } from './grid.tsx'
import { type Item, ItemCard } from './item-card.tsx'
import { SellNow } from './sell-now-on-demand.ts'

/** Items of a collection as cards. A change of one leaves the others as they are. */
export function ItemGrid({ items }: { items: readonly Item[] }) {
  const cart = useCart()
  const { account } = useSession()
  const [selling, sell] = useState<Item | null>(null)
  const latestCart = useRef(cart)
  latestCart.current = cart
  const toggle = useCallback((item: Item) => {
    const line = lineOf(item)
    if (line) latestCart.current.toggle(line)
  }, [])
  const address = account?.ordinalsAddress
  const isOwn = (item: Item) => address !== undefined && item.owner === address
  const bids = useBestBids(items.filter(isOwn).map((item) => item.inscriptionId))
  const places = useMemo(
    () => new Map(cart.lines.map(({ inscriptionId }, n) => [inscriptionId, n + 1])),
    [cart.lines],
  )
  const bid = selling && bids.get(selling.inscriptionId)
  return (
    <>
      <Grid of={items}>
        {(item) => (
          <ItemCard
            item={item}
            isOwn={isOwn(item)}
            place={places.get(item.inscriptionId) ?? null}
            sellNowSats={bids.get(item.inscriptionId)?.priceSats ?? null}
            onToggle={toggle}
            onSell={sell}
          />
        )}
      </Grid>
      {selling && bid && (
        <SellNow
          slug={selling.collection}
          bid={bid}
          item={{
            inscriptionId: selling.inscriptionId,
            name: selling.name,
            contentType: selling.rawContentType,
          }}
          onClose={() => sell(null)}
        />
      )}
    </>
  )
}
