import { shortId } from '../format/format.ts'
import { Badge } from '../ui/basics.tsx'
import { CollectionName } from '../ui/collection-name.tsx'
import { OfferIcon } from '../ui/icons.tsx'
import { Media } from '../ui/media/media.tsx'
import { type Agreement, type Contents, itemsOf, type TradedItem } from './agreement.ts'
import { review as words } from './texts.ts'

/** Contents of a coin that the agreement does not name. */
export interface Extra {
  contents: Contents
  item: TradedItem
}

const isInscription = ({ contents: { kind } }: Extra) => kind === 'inscription'

/** Returns what else the coins contain. */
export function extrasOf(agreement: Agreement): Extra[] {
  const items = itemsOf(agreement)
  const names = new Set(items.map((each) => each.inscriptionId))
  return items.flatMap((item) =>
    typeof item.carries === 'string'
      ? []
      : item.carries
          .filter(({ kind, name }) => kind !== 'inscription' || !names.has(name))
          .map((contents) => ({ contents, item })),
  )
}

export function extraName({ contents: { kind, name, amount, item } }: Extra): string {
  if (kind === 'rune') return `${amount} ${name}`
  return kind === 'inscription' ? (item?.name ?? `inscription ${shortId(name)}`) : `rare sat ${name}`
}

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
        {isInscription(extra) && contents.item ? (
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
