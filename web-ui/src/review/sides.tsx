import type { ReactNode } from 'react'
import { useSettings } from '../api/settings.tsx'
import { amount } from '../format/format.ts'
import { middle } from '../format/names.ts'
import { exactBtc } from '../money/typed.ts'
import { plural } from '../strings/plural.ts'
import { CollectionName } from '../ui/collection-name.tsx'
import { Media } from '../ui/media/media.tsx'
import type { TradedItem } from './agreement.ts'

/** Inscriptions of one side with their art: one with its details, several as a strip. */
export function ItemSide({
  title,
  items,
  note,
  children,
}: {
  title: string
  items: readonly TradedItem[]
  note?: string
  children?: ReactNode
}) {
  const [only] = items
  return (
    <section aria-label={title} className="grid min-w-0 content-center rounded-card bg-raised p-4">
      {items.length === 1 ? (
        <div className="flex items-center gap-4">
          <Art item={only!} />
          <div className="grid min-w-0 gap-0.5">
            <p className="text-small text-soft">{title}</p>
            <p dir="auto" className="text-h2 [overflow-wrap:anywhere]">
              {only!.name}
            </p>
            {only!.collection && (
              <p className="flex min-w-0 items-center gap-1 text-small">
                <CollectionName of={only!.collection} />
              </p>
            )}
            {note && <p className="text-small text-soft">{note}</p>}
          </div>
        </div>
      ) : (
        <>
          <p className="text-small text-soft">{title}</p>
          <p className="mb-3 text-h3">{plural(items.length, { one: '# item', other: '# items' })}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the strip scrolls */}
          <ul tabIndex={0} aria-label={title} className="flex gap-3 overflow-x-auto pb-1">
            {items.map((item) => (
              <li key={item.inscriptionId} className="w-24 shrink-0">
                <Art item={item} />
                <p dir="auto" title={item.name} className="mt-1 text-caption [overflow-wrap:anywhere]">
                  {middle(item.name, 32)}
                </p>
              </li>
            ))}
          </ul>
          {note && <p className="mt-1 text-small text-soft">{note}</p>}
        </>
      )}
      {children}
    </section>
  )
}

const Art = ({ item: { inscriptionId, contentType } }: { item: TradedItem }) => (
  <span className="block w-24 shrink-0 overflow-hidden rounded-card">
    <Media id={inscriptionId} contentType={contentType} name="" />
  </span>
)

/** Amount of one side. The first note completes the amount. */
export function AmountSide({
  title,
  sats,
  notes,
}: {
  title: string
  sats: number
  notes: readonly [string, ...string[]]
}) {
  const { fiat } = useSettings()
  const inFiat = fiat && amount(sats, 'fiat', fiat)
  const [first, ...others] = notes
  const shown = inFiat ? [`${inFiat.text} ${inFiat.unit}, ${first}`, ...others] : notes
  return (
    <div className="grid min-w-0 content-center gap-0.5 rounded-card bg-raised p-4">
      <p className="text-small text-soft">{title}</p>
      <p className="tabular text-price-xl">
        {exactBtc(sats)} <span className="text-small font-normal text-soft">BTC</span>
      </p>
      {shown.map((note) => (
        <p key={note} className="text-small text-soft">
          {note}
        </p>
      ))}
    </div>
  )
}

/** A statement about what moves, such as what leaves now. */
export const Statement = ({ title, text }: { title: string; text: string }) => (
  <div className="rounded-card bg-raised p-4">
    <p className="text-small text-soft">{title}</p>
    <p className="font-semibold [overflow-wrap:anywhere]">{text}</p>
  </div>
)
