import type { BestBid } from '../forms/best-bids.ts'
import { SellNow } from '../forms/sell-now-on-demand.ts'
import type { Item } from './item-card.tsx'

/** Dialog to sell an item into its best bid. Hidden if `item` is null. */
export function SellNowOf({
  item,
  bids,
  onClose,
}: {
  item: Item | null
  bids: ReadonlyMap<string, BestBid>
  onClose: () => void
}) {
  const bid = item && bids.get(item.inscriptionId)
  if (!item || !bid) return null
  const { inscriptionId, name, rawContentType: contentType } = item
  return (
    <SellNow slug={item.collection} bid={bid} item={{ inscriptionId, name, contentType }} onClose={onClose} />
  )
}
