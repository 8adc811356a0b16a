import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { card as cardWords, table as words } from '@ordbook/web-ui/strings/collection.ts'
import { lineOf } from '@ordbook/web-ui/ticket/cheapest.ts'
import { Badge, Button, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { PriceColumn } from '@ordbook/web-ui/ui/price-column.tsx'
import { Rank } from '@ordbook/web-ui/ui/rank.tsx'
import { useRoving } from '@ordbook/web-ui/ui/roving.ts'
import { memo } from 'react'
import { useBestBids } from '../forms/best-bids.ts'
import { AddressLink } from '../parts/links.tsx'
import { type Item, ItemChoice, markOf } from './item-card.tsx'
import { ItemPicture } from './item-picture.tsx'
import { SellNowOf } from './sell-now-of.tsx'
import { useItemActions } from './use-item-actions.ts'

const HEAD = 'px-3 py-1 font-[560] whitespace-nowrap'
const CELL = 'px-3 py-2 whitespace-nowrap'

/** Items as a table with a single Tab stop. Arrow keys move between rows. */
export function ItemTable({ items }: { items: readonly Item[] }) {
  const ref = useRoving<HTMLTableSectionElement>('grid')
  const { account } = useSession()
  const { isOwn, placeOf, toggle, selling, sell } = useItemActions()
  const bids = useBestBids(items.map((item) => item.inscriptionId))
  // Only signed-in visitors receive best bids.
  const hasBids = account !== null
  return (
    <div className="panel overflow-x-auto">
      <table className="w-full text-small">
        <thead className="text-left text-caption text-soft max-sm:sr-only">
          <tr className="border-b border-line">
            <th scope="col" className={`${HEAD} w-11`}>
              <span className="sr-only">{words.choose}</span>
            </th>
            <th scope="col" className={HEAD}>
              {words.item}
            </th>
            <th scope="col" className={`${HEAD} text-right max-sm:hidden`}>
              {words.rank}
            </th>
            <th scope="col" className={`${HEAD} text-right`}>
              {words.price}
            </th>
            <th scope="col" className={`${HEAD} text-right max-sm:hidden`}>
              {words.last}
            </th>
            {hasBids && (
              <th scope="col" className={`${HEAD} text-right max-xl:hidden`}>
                {words.bid}
              </th>
            )}
            <th scope="col" className={`${HEAD} max-sm:hidden`}>
              {words.owner}
            </th>
            <th scope="col" className={`${HEAD} text-right max-lg:hidden`}>
              {words.age}
            </th>
          </tr>
        </thead>
        <PriceColumn of={items.map(({ priceSats }) => priceSats)}>
          <tbody ref={ref}>
            {items.map((item) => (
              <Row
                key={item.inscriptionId}
                item={item}
                isOwn={isOwn(item)}
                place={placeOf(item)}
                bidSats={hasBids ? (bids.get(item.inscriptionId)?.priceSats ?? null) : undefined}
                onToggle={toggle}
                onSell={sell}
              />
            ))}
          </tbody>
        </PriceColumn>
      </table>
      <SellNowOf item={selling} bids={bids} onClose={() => sell(null)} />
    </div>
  )
}

interface RowProps {
  item: Item
  isOwn: boolean
  place: number | null
  /** Null without an offer, undefined if the column is hidden. */
  bidSats: number | null | undefined
  onToggle: (item: Item) => void
  onSell: (item: Item) => void
}

const Row = memo(function Row({ item, isOwn, place, bidSats, onToggle, onSell }: RowProps) {
  const { inscriptionId, name, priceSats, lastSale, owner, listedAt } = item
  const mark = markOf(item, isOwn)
  return (
    <tr className="h-15 border-b border-line last:border-0 hover:bg-raised max-sm:h-16">
      <td className="w-11 p-0">
        {!isOwn && lineOf(item) && <ItemChoice name={name} place={place} onPress={() => onToggle(item)} />}
      </td>
      <th scope="row" className="w-full max-w-0 px-3 py-2 text-left font-[560]">
        <Link to="/inscription/$id" params={{ id: inscriptionId }} className="flex items-center gap-3">
          <span className="w-11 shrink-0 overflow-hidden rounded-control">
            <ItemPicture item={item} size={96} />
          </span>
          <span dir="auto" title={name} className="min-w-0 truncate">
            {name}
          </span>
        </Link>
      </th>
      <td className={`${CELL} tabular text-right text-soft max-sm:hidden`}>
        {item.rank !== null && <Rank rank={item.rank} />}
      </td>
      <td className={`${CELL} text-right`}>
        {priceSats ? (
          <Price sats={priceSats} className="font-semibold" />
        ) : (
          <span className="text-soft">{cardWords.notListed}</span>
        )}{' '}
        {mark && <Badge tone={isOwn ? 'good' : 'soft'}>{mark}</Badge>}
      </td>
      <td className={`${CELL} text-right text-soft max-sm:hidden`}>
        {lastSale !== null && <Price sats={Math.round(lastSale * 1e8)} />}
      </td>
      {bidSats !== undefined && (
        <td className={`${CELL} text-right max-xl:hidden`}>
          {bidSats !== null && isOwn && item.listingState === null ? (
            <Button kind="sell" className="!min-h-8 !px-2" onClick={() => onSell(item)}>
              {cardWords.sellNow} <Price sats={bidSats} />
            </Button>
          ) : (
            bidSats !== null && <Price sats={bidSats} />
          )}
        </td>
      )}
      <td className={`${CELL} font-mono text-caption max-sm:hidden`}>
        {owner && <AddressLink address={owner} />}
      </td>
      <td className={`${CELL} text-right text-soft max-lg:hidden`}>{listedAt && <Time at={listedAt} />}</td>
    </tr>
  )
})
