import { Button, Price } from '../ui/basics.tsx'
import { CloseIcon } from '../ui/icons.tsx'
import { Media } from '../ui/media.tsx'
import { swap as words } from '../words/swap.ts'

/** Something that a side of a trade gives or gets: its picture, its name, and its value by floor. */
export function TradeTile({
  item,
  sats,
  onRemove,
}: {
  item: { inscriptionId: string; name: string; contentType: string | null }
  sats: number | null
  onRemove?: () => void
}) {
  return (
    <article className="relative overflow-hidden rounded-card border border-line">
      <Media id={item.inscriptionId} contentType={item.contentType} name="" size={384} />
      {onRemove && (
        <Button
          className="absolute top-1 right-1 size-8 !min-h-8 !px-0"
          aria-label={words.takeOut(item.name)}
          onClick={onRemove}
        >
          <CloseIcon />
        </Button>
      )}
      <div className="p-2 text-small">
        <p dir="auto" className="truncate" title={item.name}>
          {item.name}
        </p>
        <Price sats={sats} className="font-[560]" />
      </div>
    </article>
  )
}
