import type { Answer } from '@ordbook/sdk/operations.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount, title } from '@ordbook/web-ui/format/format.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { card as words } from '@ordbook/web-ui/strings/collection.ts'
import { lineOf } from '@ordbook/web-ui/ticket/cheapest.ts'
import { BUTTON, Button, KINDS, Price, Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CheckIcon, ClockIcon, ListIcon, OfferIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { InFiat } from '@ordbook/web-ui/ui/in-fiat.tsx'
import { Rank } from '@ordbook/web-ui/ui/rank.tsx'
import { lazy, memo, type ReactNode, Suspense, useState } from 'react'
import { nameParts } from '../parts/name-parts.ts'
import { StatusStrip } from '../parts/status-strip.tsx'
import { useLongPress } from '../parts/use-long-press.ts'
import { ItemPicture } from './item-picture.tsx'
import { QuickBuy } from './quick-buy.tsx'

export type Item = Answer<'browseItems'>['items'][number]

const LiveOnHover = lazy(() => import('@ordbook/web-ui/ui/media/live-on-hover.tsx'))

interface Props {
  item: Item
  isOwn: boolean
  /** 1-based position in the cart, or null. */
  place: number | null
  /** Best offer for an own item, otherwise null. */
  sellNowSats: number | null
  /** True for a compact card, which can only be selected. */
  dense: boolean
  floorSats?: number | null
  onToggle: (item: Item) => void
  onSell: (item: Item) => void
}

export const ItemCard = memo(function ItemCard(props: Props) {
  const { item, isOwn, place, dense, onToggle } = props
  const [isHot, setHot] = useState(false)
  const line = isOwn ? null : lineOf(item)
  const press = useLongPress(() => line && onToggle(item))
  return (
    <article
      onPointerEnter={(event) => event.pointerType === 'mouse' && setHot(true)}
      onPointerLeave={() => setHot(false)}
      onFocus={(event) => event.target.matches(':focus-visible') && setHot(true)}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setHot(false)}
      className={`panel relative h-full overflow-hidden !rounded-card ${place === null ? '' : 'outline-[1.5px] outline-accent'}`}
    >
      <Link
        to="/inscription/$id"
        params={{ id: item.inscriptionId }}
        className="block [-webkit-touch-callout:none]"
        {...press}
      >
        <ItemPicture item={item}>
          {isHot && (
            <Suspense>
              <LiveOnHover id={item.inscriptionId} contentType={item.rawContentType} name={item.name} />
            </Suspense>
          )}
        </ItemPicture>
        {dense ? <DenseLines item={item} /> : <Lines {...props} />}
      </Link>
      {line && (
        <span className="absolute top-0 right-0">
          <ItemChoice name={item.name} place={place} onPress={() => onToggle(item)} />
        </span>
      )}
      {!dense && <CardActions {...props} line={line} isHot={isHot} />}
    </article>
  )
})

function CardActions({
  item,
  isOwn,
  sellNowSats,
  onSell,
  line,
  isHot,
}: Props & { line: ReturnType<typeof lineOf>; isHot: boolean }) {
  return (
    <>
      {line && isHot && (
        <Actions>
          <QuickBuy line={line} />
        </Actions>
      )}
      {isOwn && item.listingState === 'buyable' && isHot && (
        <Actions>
          <Link
            to="/inscription/$id"
            params={{ id: item.inscriptionId }}
            className={`${BUTTON} ${KINDS.plain} w-full`}
          >
            {words.edit}
            <span className="sr-only"> {item.name}</span>
          </Link>
        </Actions>
      )}
      {sellNowSats !== null && item.listingState === null && (
        <Actions>
          <SellButton name={item.name} sats={sellNowSats} onPress={() => onSell(item)} />
        </Actions>
      )}
    </>
  )
}

/** Returns the badge of an item, or null. */
export function markOf({ listingState }: Item, isOwn: boolean): string | null {
  if (listingState === 'hidden_locked') return words.salePending
  if (listingState === 'pending_public') return words.confirming
  return isOwn ? words.yours : null
}

/** Lines of a compact card. */
function DenseLines({ item }: { item: Item }) {
  const [name, number] = nameParts(item.name)
  return (
    <span className="block px-2 py-1.5" title={item.name}>
      <span dir="auto" className="block truncate text-caption text-soft">
        {number ? (
          <>
            <span className="sr-only">{name} </span>
            {number}
          </>
        ) : (
          name
        )}
      </span>
      <span className="block h-5 truncate text-caption">
        {item.priceSats ? (
          <Price sats={item.priceSats} className="font-semibold" />
        ) : (
          <span className="text-soft">{words.notListed}</span>
        )}
      </span>
    </span>
  )
}

/** Lines of a card. All are rendered in every state, so that cards have equal height. */
function Lines(props: Props) {
  const { item, floorSats } = props
  const [name, number] = nameParts(item.name)
  const { priceSats, lastSale, rank } = item
  return (
    <>
      <span className="block px-3 pt-2.5 pb-2">
        <span className="flex gap-1 text-small" dir="auto" title={item.name}>
          <span className="min-w-0 flex-1 truncate text-soft">{name} </span>
          <span className="shrink-0 font-semibold">{number}</span>
        </span>
        {/* Fiat that does not fit wraps out of sight. */}
        <span className="flex h-6 flex-wrap items-baseline gap-x-1.5 overflow-hidden">
          {priceSats ? (
            <>
              <Price sats={priceSats} className="max-w-full truncate text-price" />
              <InFiat sats={priceSats} className="text-caption leading-6" />
            </>
          ) : (
            <span className="text-small leading-6 text-soft">{words.notListed}</span>
          )}
        </span>
        <span className="tabular flex h-5 items-center justify-between gap-2 text-caption text-soft">
          <span className="truncate">
            {floorSats != null && priceSats !== null
              ? words.overFloor(priceSats > floorSats ? difference(priceSats, floorSats) : null)
              : lastSale !== null && (
                  <>
                    {words.last} <Price sats={Math.round(lastSale * 1e8)} />
                  </>
                )}
          </span>
          {rank !== null && <Rank rank={rank} />}
        </span>
      </span>
      <Status {...props} />
    </>
  )
}

/** Time before its end from which a card shows when its listing ends. */
const ENDS_SOON_MILLISECONDS = 24 * 3_600_000

/** Status of an item: the first that applies. */
function Status({ item, isOwn, place, sellNowSats }: Props) {
  const { listingState, listedAt, listingExpiresAt, satributes } = item
  if (place !== null)
    return (
      <StatusStrip tone="turn">
        <CheckIcon className="shrink-0" />
        {words.inYourCart(place)}
      </StatusStrip>
    )
  if (listingState === 'hidden_locked' || listingState === 'pending_public')
    return (
      <StatusStrip tone="turn">
        <ClockIcon className="shrink-0" />
        {markOf(item, false)}
      </StatusStrip>
    )
  if (isOwn && sellNowSats !== null)
    return (
      <StatusStrip tone="own">
        <OfferIcon className="shrink-0" />
        <span>
          {words.offer} <Price sats={sellNowSats} />
        </span>
      </StatusStrip>
    )
  if (isOwn)
    return (
      <StatusStrip tone="own">
        <ListIcon className="shrink-0" />
        {listingState === null ? words.yours : words.yoursListed}
      </StatusStrip>
    )
  const endsSoon =
    listingExpiresAt !== null && Date.parse(listingExpiresAt) - Date.now() < ENDS_SOON_MILLISECONDS
  return (
    <StatusStrip>
      {endsSoon && listingState !== null ? (
        <>
          <ClockIcon className="shrink-0" />
          <span>
            {words.ends} <Time at={listingExpiresAt} until />
          </span>
        </>
      ) : (
        listedAt !== null && (
          <span>
            {words.listed} <Time at={listedAt} />
          </span>
        )
      )}
      {satributes[0] && (
        <span className="ml-auto truncate font-semibold text-accent">{title(satributes[0])}</span>
      )}
    </StatusStrip>
  )
}

/** Replaces the last two lines of a card. */
const Actions = ({ children }: { children: ReactNode }) => (
  <div className="absolute inset-x-0 bottom-0 grid h-14 content-center bg-surface px-2">{children}</div>
)

export function ItemChoice({
  name,
  place,
  onPress,
}: {
  name: string
  place: number | null
  onPress: () => void
}) {
  return (
    <button
      type="button"
      aria-pressed={place !== null}
      aria-keyshortcuts="S"
      aria-label={`${place === null ? words.add : words.inCart(place)}: ${name}`}
      onClick={onPress}
      className="grid size-11 place-items-center"
    >
      <span
        className={`tabular grid size-6 place-items-center rounded-control text-caption font-bold ${place === null ? 'border border-on-overlay bg-overlay' : 'bg-amber text-on-amber'}`}
      >
        {place}
      </span>
    </button>
  )
}

function SellButton({ name, sats, onPress }: { name: string; sats: number; onPress: () => void }) {
  const { unit, fiat } = useSettings()
  const text = `${words.sellNow} ${amount(sats, unit, fiat).text}`
  return (
    <Button kind="sell" className="w-full !px-2" aria-label={`${text}: ${name}`} onClick={onPress}>
      {text}
    </Button>
  )
}
