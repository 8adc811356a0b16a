import { PriceColumn } from '@ordbook/web-ui/ui/price-column.tsx'
import { useBestBids } from '../forms/best-bids.ts'
import { Grid } from '../parts/grid.tsx'
import { type Item, ItemCard } from './item-card.tsx'
import { SellNowOf } from './sell-now-of.tsx'
import { useItemActions } from './use-item-actions.ts'

/** Items as cards. Cards are memoized. */
export function ItemGrid({
  items,
  dense = false,
  floors,
}: {
  items: readonly Item[]
  dense?: boolean
  /** Floors by collection slug. With floors, cards show the relative price. */
  floors?: ReadonlyMap<string, number | null>
}) {
  const { isOwn, placeOf, toggle, selling, sell } = useItemActions()
  const bids = useBestBids(items.filter(isOwn).map((item) => item.inscriptionId))
  return (
    <>
      <PriceColumn of={items.map(({ priceSats }) => priceSats)}>
        <Grid of={items} dense={dense}>
          {(item) => (
            <ItemCard
              item={item}
              dense={dense}
              floorSats={floors?.get(item.collection) ?? null}
              isOwn={isOwn(item)}
              place={placeOf(item)}
              sellNowSats={bids.get(item.inscriptionId)?.priceSats ?? null}
              onToggle={toggle}
              onSell={sell}
            />
          )}
        </Grid>
      </PriceColumn>
      <SellNowOf item={selling} bids={bids} onClose={() => sell(null)} />
    </>
  )
}
