import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { CloseIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import type { Pick } from './trade-picks.tsx'

export function TradeTiles({ of, onRemove }: { of: readonly Pick[]; onRemove: (pick: Pick) => void }) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-3 empty:hidden">
      {of.map((pick) => (
        <li key={pick.inscriptionId} className="min-w-0">
          <TradeTile pick={pick} onRemove={() => onRemove(pick)} />
        </li>
      ))}
    </ul>
  )
}

function TradeTile({ pick, onRemove }: { pick: Pick; onRemove: () => void }) {
  const { inscriptionId, contentType, imageRenderingHint, name, sats } = pick
  return (
    <article className="relative overflow-hidden rounded-card border border-line">
      <Media id={inscriptionId} contentType={contentType} name="" hint={imageRenderingHint} size={384} />
      <Button
        className="absolute top-1 right-1 size-8 !min-h-8 !px-0"
        aria-label={words.takeOut(name)}
        onClick={onRemove}
      >
        <CloseIcon />
      </Button>
      <div className="p-2 text-small">
        <p dir="auto" className="truncate" title={name}>
          {name}
        </p>
        {sats !== null && <Price sats={sats} className="font-[560]" />}
      </div>
    </article>
  )
}
