import type { Answer } from '@ordbook/sdk/operations.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { Link, useSearch } from '@ordbook/web-ui/routing/routing.tsx'
import { book as words } from '@ordbook/web-ui/strings/collection.ts'
import { BUTTON, Button, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { Fragment, useState } from 'react'
import { SellNow } from '../forms/sell-now-on-demand.ts'
import { BracketNotes } from './book-brackets.tsx'
import { bracketsOf, lanesAt } from './book-levels.ts'
import { BookRow } from './book-row.tsx'
import type { filtersOf } from './collection-search.ts'
import { type PriceColumn, usePriceColumn } from './price-column.ts'
import { useOwnOrders } from './use-own-orders.ts'
import { useSweep } from './use-sweep.ts'

type Depth = Answer<'getDepth'>
type AskLevel = Depth['asks'][number]
type BidLevel = Depth['bids'][number]

/** Label of offers that any item can accept. */
const ANY_ITEM = 'Collection'

interface Props {
  slug: string
  depth: Depth
  scope: ReturnType<typeof filtersOf>
  most: number
}

export function BookSides({ slug, depth, scope, most }: Props) {
  const { sweep } = useSweep(slug)
  const [selling, setSelling] = useState<BidLevel | null>(null)
  const own = useOwnOrders(slug)
  const search = useSearch({ from: '/collection/$slug' })
  const asks = depth.asks.slice(0, most)
  const bids = depth.bids.slice(0, most)
  const column = usePriceColumn([...asks, ...bids].map(({ priceSats }) => priceSats))
  const longest = Math.max(asks.at(-1)?.cumulatedItems ?? 0, bids.at(-1)?.cumulatedItems ?? 0)
  const foreign = (level: BidLevel) => level.offers.find(({ offerId }) => !own.offerIds.has(offerId))
  const best = bids.find((level) => foreign(level))
  const offer = selling ? foreign(selling) : undefined
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)]">
        <div className="grid grid-cols-[1fr_auto_5rem] gap-2 px-4 pb-1 text-caption text-soft">
          <span>{words.price(column.unit)}</span>
          <span>{words.items}</span>
          <span className="text-right">{words.cumulated}</span>
        </div>
        <Asks
          levels={asks}
          column={column}
          longest={longest}
          ownPrices={own.askPrices}
          onPress={({ cumulatedItems, priceSats }) =>
            void sweep(scope, { count: cumulatedItems, maxSats: priceSats })
          }
        />
        <Spread ask={asks[0]} topOfferSats={depth.topOfferSats} column={column} />
        <Bids
          levels={bids}
          column={column}
          longest={longest}
          ownIds={own.offerIds}
          onPress={(level) => (foreign(level) ? () => setSelling(level) : undefined)}
        />
      </div>
      <p className="px-4 text-caption text-soft">
        {words.listed(depth.askCount)} · {words.offers(depth.bidCount)}
      </p>
      <div className="grid grid-cols-2 gap-2 px-4">
        <Link
          to="/collection/$slug"
          params={{ slug }}
          search={{ ...search, tab: 'offers' }}
          className={`${BUTTON} ${KINDS.plain}`}
        >
          {words.placeOffer}
        </Link>
        <Button kind="sell" disabled={!best} onClick={() => setSelling(best ?? null)}>
          {words.sellNow}
        </Button>
      </div>
      {selling && offer && (
        <SellNow
          slug={slug}
          bid={{ offerId: offer.offerId, priceSats: selling.priceSats, collectionSlug: slug }}
          scope={offer.scopeLabel === ANY_ITEM ? words.anyItem : offer.scopeLabel}
          onClose={() => setSelling(null)}
        />
      )}
    </>
  )
}

function Asks({
  levels,
  column,
  longest,
  ownPrices,
  onPress,
}: {
  levels: readonly AskLevel[]
  column: PriceColumn
  longest: number
  ownPrices: ReadonlySet<number>
  onPress: (level: AskLevel) => void
}) {
  if (levels.length === 0) return <p className="px-4 py-2 text-small text-soft">{words.noAsks}</p>
  return (
    <ul aria-label={words.asks}>
      {levels.toReversed().map((level) => (
        <BookRow
          key={level.priceSats}
          side="ask"
          price={column.text(level.priceSats)}
          name={words.ask(column.named(level.priceSats), level.items, level.cumulatedItems)}
          items={count(level.items)}
          cumulatedItems={count(level.cumulatedItems)}
          share={level.cumulatedItems / longest}
          isOwn={ownPrices.has(level.priceSats)}
          ownText={words.own}
          onPress={() => onPress(level)}
        />
      ))}
    </ul>
  )
}

function Bids({
  levels,
  column,
  longest,
  ownIds,
  onPress,
}: {
  levels: readonly BidLevel[]
  column: PriceColumn
  longest: number
  ownIds: ReadonlySet<string>
  onPress: (level: BidLevel) => (() => void) | undefined
}) {
  if (levels.length === 0) return <p className="px-4 py-2 text-small text-soft">{words.noBids}</p>
  const brackets = bracketsOf(levels)
  return (
    <ul aria-label={words.bids}>
      {levels.map((level, n) => (
        <Fragment key={level.priceSats}>
          <BookRow
            side="bid"
            price={column.text(level.priceSats)}
            name={words.bid(column.named(level.priceSats), level.items)}
            scope={scopeOf(level)}
            items={count(level.items)}
            cumulatedItems={count(level.cumulatedItems)}
            share={level.cumulatedItems / longest}
            isOwn={level.offers.some(({ offerId }) => ownIds.has(offerId))}
            ownText={words.own}
            lanes={lanesAt(brackets, n)}
            onPress={onPress(level)}
          />
          <BracketNotes of={brackets} at={n} />
        </Fragment>
      ))}
    </ul>
  )
}

/** Returns the traits of a level that no offer for any item backs, or null. */
const scopeOf = ({ offers }: BidLevel): string | null =>
  offers.some(({ scopeLabel }) => scopeLabel === ANY_ITEM) ? null : (offers[0]?.scopeLabel ?? null)

/** Difference between the floor and the top offer. */
function Spread({
  ask,
  topOfferSats,
  column,
}: {
  ask: AskLevel | undefined
  topOfferSats: number | null
  column: PriceColumn
}) {
  if (!ask) return <div className="my-1 border-t border-line" />
  const spreadSats = topOfferSats === null ? null : ask.priceSats - topOfferSats
  return (
    <p className="tabular my-1 flex justify-between gap-2 bg-raised px-4 py-2 text-small">
      <span className="font-semibold">{column.text(ask.priceSats)}</span>
      <span className="text-soft">
        {spreadSats === null
          ? words.noSpread
          : words.spread(((100 * spreadSats) / ask.priceSats).toFixed(1), column.text(spreadSats))}
      </span>
    </p>
  )
}
