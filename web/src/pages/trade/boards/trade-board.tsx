import { btc } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { CloseIcon, SwapIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { type ReactNode, useState } from 'react'
import { type Board, type BoardItem, estimateOf, shownTiles } from './board.ts'

/** The two boards next to each other. */
export const TradeSides = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <div className={`relative grid items-start gap-4 lg:grid-cols-2 ${className}`}>
    {children}
    <span
      aria-hidden="true"
      className="absolute top-40 left-1/2 grid size-11 -translate-x-1/2 place-items-center rounded-full border-4 border-bg bg-ink text-xl text-bg max-lg:hidden"
    >
      <SwapIcon />
    </span>
  </div>
)

/** One side of a trade: tiles of equal size, then `children`. */
export function TradeBoard({
  title,
  board,
  valueSats,
  mark,
  btcNote,
  onRemove,
  className = '',
  children,
}: {
  title: string
  board: Board
  /** Estimated value; null if it is not shown. */
  valueSats: number | null
  mark?: ReactNode
  /** Where the BTC goes, or where it comes from. */
  btcNote: string
  onRemove?: (item: BoardItem) => void
  className?: string
  children?: ReactNode
}) {
  return (
    <section
      aria-label={title}
      className={`panel grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4 p-4 sm:p-5 ${className}`}
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="flex items-center gap-2 text-h2">
          {title} {mark}
        </h2>
        {valueSats !== null && valueSats > 0 && (
          <span className="text-small text-soft">
            {words.estimatedValue} <Price sats={valueSats} className="font-semibold text-ink" />
          </span>
        )}
      </div>
      <Tiles board={board} btcNote={btcNote} {...(onRemove ? { onRemove } : {})} />
      {children}
    </section>
  )
}

/** Tiles keep the size of three columns, also if there are fewer. */
const TILES = 'grid grid-cols-2 gap-3 sm:grid-cols-3'

function Tiles({
  board,
  btcNote,
  onRemove,
}: {
  board: Board
  btcNote: string
  onRemove?: (item: BoardItem) => void
}) {
  const [isWhole, showAll] = useState(false)
  const { items, more } = isWhole ? { items: board.items, more: 0 } : shownTiles(board)
  return (
    <>
      <ul className={TILES}>
        {items.map((item) => (
          <li key={item.key} className="grid min-w-0">
            <ItemTile item={item} {...(onRemove ? { onRemove: () => onRemove(item) } : {})} />
          </li>
        ))}
        {board.btcSats > 0 && (
          <li className="grid min-w-0">
            <BtcTile sats={board.btcSats} note={btcNote} />
          </li>
        )}
        {board.items.length === 0 && board.btcSats === 0 && (
          <li className="grid aspect-[1/1.4] place-items-center rounded-card border border-dashed border-edge p-3 text-center text-small text-soft">
            {words.nothing}
          </li>
        )}
      </ul>
      {more > 0 && (
        <Button className="justify-self-start" onClick={() => showAll(true)}>
          {words.more(more)}
        </Button>
      )}
    </>
  )
}

const TILE = 'relative grid min-w-0 content-start overflow-hidden rounded-card bg-raised'

function ItemTile({ item, onRemove }: { item: BoardItem; onRemove?: () => void }) {
  const { name, criteria, quantity, pictureId, contentType, hint, inscriptionId, collection } = item
  const estimate = estimateOf(item)
  const head = (
    <>
      <Media id={pictureId ?? ''} contentType={contentType} name="" hint={hint} size={384}>
        {quantity > 1 && (
          <span className="absolute right-2 bottom-2 rounded-badge bg-bg px-2 py-0.5 text-small font-semibold">
            {words.times(quantity)}
          </span>
        )}
      </Media>
      <span dir="auto" className="block truncate px-3 pt-3 text-small font-semibold" title={name}>
        {name}
      </span>
    </>
  )
  return (
    <article className={TILE} data-tile>
      {inscriptionId ? (
        <Link to="/inscription/$id" params={{ id: inscriptionId }} className="min-w-0 hover:underline">
          {head}
        </Link>
      ) : (
        <div className="min-w-0">{head}</div>
      )}
      {onRemove && (
        <Button
          className="absolute top-1 right-1 size-8 !min-h-8 !px-0"
          aria-label={words.takeOut(inscriptionId ? name : `${name}, ${collection?.collectionName}`)}
          onClick={onRemove}
        >
          <CloseIcon />
        </Button>
      )}
      <div className="grid min-w-0 gap-0.5 px-3 pt-0.5 pb-3 text-small">
        <span className="flex min-w-0 flex-wrap items-center gap-x-1 text-soft">
          {collection ? <CollectionName of={collection} /> : words.withoutCollection}
        </span>
        {criteria && <span className="text-soft [overflow-wrap:anywhere]">{criteria}</span>}
        <span className="flex flex-wrap items-baseline justify-between gap-x-2">
          {estimate ? (
            <>
              <span className="text-soft">{words.estimates(estimate.word, quantity)}</span>
              <Price sats={estimate.sats} className="font-semibold" />
            </>
          ) : (
            <span className="text-soft">{words.noPrice}</span>
          )}
        </span>
      </div>
    </article>
  )
}

function BtcTile({ sats, note }: { sats: number; note: string }) {
  return (
    <article className={`${TILE} !bg-tint`} data-tile>
      <div className="grid aspect-square place-items-center p-2 text-center">
        <span className="tabular text-h2 [overflow-wrap:anywhere]">{btc(sats)}</span>
      </div>
      <div className="grid min-w-0 gap-0.5 p-3 text-small">
        <span className="font-semibold">BTC</span>
        <span className="text-soft [overflow-wrap:anywhere]">{note}</span>
        <span className="flex flex-wrap items-baseline justify-between gap-x-2">
          <span className="text-soft">{words.amount}</span>
          <Price sats={sats} className="font-semibold" />
        </span>
      </div>
    </article>
  )
}

/** Small pictures of a side, for rows. */
export function SmallTiles({ board, most = 4 }: { board: Board; most?: number }) {
  const items = board.items.slice(0, most)
  const more = board.items.length - items.length
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      {items.map((item) => (
        <span
          key={item.key}
          title={item.name}
          className="block size-14 overflow-hidden rounded-control"
          role="img"
          aria-label={item.name}
        >
          <Media id={item.pictureId ?? ''} contentType={item.contentType} name="" hint={item.hint} />
        </span>
      ))}
      {more > 0 && <span className="text-small text-soft">{words.more(more)}</span>}
      {board.btcSats > 0 && (
        <span className="grid h-14 min-w-14 place-items-center rounded-control bg-tint px-2 font-semibold">
          <Price sats={board.btcSats} />
        </span>
      )}
    </span>
  )
}
