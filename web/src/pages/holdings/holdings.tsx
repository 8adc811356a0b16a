import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { ListIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import type { ReactNode } from 'react'
import { StatusStrip } from '../parts/status-strip.tsx'

export type Holding = Answer<'listHoldings'>['holdings'][number]

const HoldingPicture = ({ of }: { of: Holding }) => (
  <Media id={of.inscriptionId} contentType={of.contentType} name="" hint={of.imageRenderingHint} size={384} />
)

export function HoldingCard({
  holding,
  chosen,
  onChoose,
  worth,
  children,
}: {
  holding: Holding
  chosen?: boolean
  onChoose?: (() => void) | undefined
  /** Shown in place of the floor. */
  worth?: ReactNode
  children?: ReactNode
}) {
  return (
    <article className={`panel relative h-full overflow-hidden ${chosen ? 'outline-2 outline-accent' : ''}`}>
      <Link
        to="/inscription/$id"
        params={{ id: holding.inscriptionId }}
        aria-label={holding.name}
        className="block"
      >
        <HoldingPicture of={holding} />
      </Link>
      <div className="grid gap-1 p-3 text-sm">
        <span dir="auto" className="truncate font-[560]">
          {holding.name}
        </span>
        <span className="flex items-center gap-1 text-xs text-soft">
          {holding.collectionName === null ? words.noCollection : <CollectionName of={holding} />}
        </span>
        {worth ??
          (holding.collectionFloorSats !== null && (
            <span className="text-caption text-soft">
              {words.floor} <Price sats={holding.collectionFloorSats} />
            </span>
          ))}
        <span className="-mx-3">
          <StatusStrip tone="own">
            {holding.listingId && (
              <>
                <ListIcon className="shrink-0" />
                <span className="truncate">
                  {words.listedFor} <Price sats={holding.priceSats} />
                </span>
              </>
            )}
          </StatusStrip>
        </span>
        {onChoose && (
          <label className="mt-1 flex min-h-8 items-center gap-2">
            <input
              type="checkbox"
              checked={chosen ?? false}
              onChange={onChoose}
              className="size-4 accent-accent"
            />
            Choose<span className="sr-only"> {holding.name}</span>
          </label>
        )}
        {children}
      </div>
    </article>
  )
}
