import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge, Price } from '../ui/basics.tsx'
import { Media } from '../ui/media.tsx'
import { Grid } from './grid.tsx'

export type Holding = Answer<'listHoldings'>['holdings'][number]

export const HoldingPicture = ({ of }: { of: Holding }) => (
  <Media id={of.inscriptionId} contentType={of.contentType} name="" hint={of.imageRenderingHint} />
)

/** An inscription in the wallet of its holder. */
export function HoldingCard({
  holding,
  chosen,
  onChoose,
  children,
}: {
  holding: Holding
  chosen?: boolean
  onChoose?: (() => void) | undefined
  children?: ReactNode
}) {
  return (
    <article className={`panel relative h-full overflow-hidden ${chosen ? 'outline-2 outline-lamp' : ''}`}>
      <Link
        to="/inscription/$id"
        params={{ id: holding.inscriptionId }}
        aria-label={holding.name}
        className="block"
      >
        <HoldingPicture of={holding} />
      </Link>
      <div className="grid gap-1 p-3 text-sm">
        <span className="truncate font-medium">{holding.name}</span>
        <span className="truncate text-xs text-soft">
          {holding.collectionName ?? 'in no collection here'}
        </span>
        <span className="flex flex-wrap items-center gap-2">
          {holding.listingId ? (
            <Badge tone="lamp">
              listed for <Price sats={holding.priceSats} />
            </Badge>
          ) : (
            holding.collectionFloorSats !== null && (
              <span className="text-xs text-soft">
                floor <Price sats={holding.collectionFloorSats} />
              </span>
            )
          )}
          {holding.topOfferSats !== null && (
            <Badge tone="good">
              offer <Price sats={holding.topOfferSats} />
            </Badge>
          )}
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

/** Holdings to choose from for a trade. */
export function HoldingChoice({
  of,
  isChosen,
  onToggle,
}: {
  of: readonly Holding[]
  isChosen: (id: string) => boolean
  onToggle: (id: string) => void
}) {
  return (
    <Grid of={of}>
      {(holding) => (
        <HoldingCard
          holding={holding}
          chosen={isChosen(holding.inscriptionId)}
          onChoose={() => onToggle(holding.inscriptionId)}
        />
      )}
    </Grid>
  )
}
