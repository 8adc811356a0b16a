import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { CheckIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import type { Holding } from '../holdings/holdings.tsx'
import { Grid } from '../parts/grid.tsx'
import { nameParts } from '../parts/name-parts.ts'

export interface Pick {
  inscriptionId: string
  name: string
  contentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  /** Price of the item, or floor of its collection. */
  sats: number | null
  collection: { slug: string; name: string } | null
}

export const pickOf = (holding: Holding): Pick => ({
  inscriptionId: holding.inscriptionId,
  name: holding.name,
  contentType: holding.contentType,
  imageRenderingHint: holding.imageRenderingHint,
  sats: holding.collectionFloorSats,
  collection:
    holding.collectionSlug === null
      ? null
      : { slug: holding.collectionSlug, name: holding.collectionName ?? holding.collectionSlug },
})

export function Picks({
  of,
  isChosen,
  onToggle,
}: {
  of: readonly Pick[]
  isChosen: (id: string) => boolean
  onToggle: (pick: Pick) => void
}) {
  return (
    <Grid of={of} dense>
      {(pick) => (
        <PickTile pick={pick} chosen={isChosen(pick.inscriptionId)} onToggle={() => onToggle(pick)} />
      )}
    </Grid>
  )
}

function PickTile({ pick, chosen, onToggle }: { pick: Pick; chosen: boolean; onToggle: () => void }) {
  const [name, number] = nameParts(pick.name)
  return (
    <article className="grid min-w-0 gap-1">
      <label
        className={`relative block cursor-pointer overflow-hidden rounded-control outline-2 -outline-offset-2 has-focus-visible:outline-info ${chosen ? 'outline-accent' : 'outline-transparent'}`}
      >
        <input
          type="checkbox"
          checked={chosen}
          onChange={onToggle}
          className="absolute inset-0 z-10 size-full cursor-pointer opacity-0"
        />
        <span className="sr-only">{words.choose(pick.name)}</span>
        <Media
          id={pick.inscriptionId}
          contentType={pick.contentType}
          name=""
          hint={pick.imageRenderingHint}
          size={384}
        />
        {chosen && (
          <span className="absolute top-1 right-1 grid size-6 place-items-center rounded-control bg-amber text-on-amber">
            <CheckIcon />
          </span>
        )}
      </label>
      <p className="min-w-0 text-caption" aria-hidden="true" title={pick.name}>
        <span dir="auto" className="block truncate font-semibold">
          {number || name}
        </span>
        {pick.sats !== null && <Price sats={pick.sats} className="text-soft" />}
      </p>
    </article>
  )
}
