import { Badge } from '../ui/basics.tsx'
import { CollectionName } from '../ui/collection-name.tsx'
import { OfferIcon } from '../ui/icons.tsx'
import { Media } from '../ui/media/media.tsx'
import { type Extra, extraName } from './extras.ts'
import { review as words } from './texts.ts'

const TONES = { leaves: 'bad', arrives: 'info', stays: 'soft' } as const

/** Lists what else the coins contain, with its direction. */
export function AlsoContains({ extras }: { extras: readonly Extra[] }) {
  if (extras.length === 0) return null
  const title = words.alsoContains(new Set(extras.map(({ item }) => item.outpoint)).size)
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-h3">{title}</h3>
      <ul className="grid gap-2">
        {extras.map((extra) => (
          <Row
            key={`${extra.item.inscriptionId} ${extra.contents.kind} ${extra.contents.name}`}
            extra={extra}
          />
        ))}
      </ul>
    </section>
  )
}

function Row({ extra }: { extra: Extra }) {
  const { contents, item } = extra
  return (
    <li className="grid grid-cols-[48px_minmax(0,1fr)_auto] items-center gap-3">
      <span className="grid size-12 place-items-center overflow-hidden rounded-control bg-raised text-lg text-soft">
        {contents.kind === 'inscription' && contents.item ? (
          <Media id={contents.name} contentType={contents.item.contentType} name="" />
        ) : (
          <OfferIcon />
        )}
      </span>
      <span className="grid min-w-0">
        <span className="flex min-w-0 flex-wrap items-center gap-x-1.5">
          <span dir="auto" className="font-semibold [overflow-wrap:anywhere]">
            {extraName(extra)}
          </span>
          {contents.item && <CollectionName of={contents.item} />}
        </span>
        <span className="text-small text-soft">{words.waysExplained[item.goes](item.name)}</span>
      </span>
      <Badge tone={TONES[item.goes]}>{words.ways[item.goes]}</Badge>
    </li>
  )
}
