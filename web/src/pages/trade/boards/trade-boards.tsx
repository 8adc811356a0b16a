import { usePages, useSettled } from '@ordbook/web-ui/api/client.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Field, INPUT } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { type ReactNode, useState } from 'react'
import { type Trait, targetOf } from '../../forms/trait-target.ts'
import { type Pick, Picks, pickOf } from '../trade-picks.tsx'

interface Choice {
  isChosen: (id: string) => boolean
  onToggle: (pick: Pick) => void
}

/** Limits the height of a board. */
const BOARD = 'max-h-[26rem] overflow-y-auto p-1'

const none = (text: string): ReactNode => <p className="text-small text-soft">{text}</p>

/** Items of an address to choose from. `inCollections` omits items that a proposal cannot ask for. */
export function HoldingsBoard({
  address,
  label,
  empty,
  inCollections = false,
  ...choice
}: Choice & { address: string; label: string; empty: string; inCollections?: boolean }) {
  const [text, setText] = useState('')
  const q = useSettled(text.trim())
  const found = usePages('listHoldings', { params: { address }, query: q ? { q } : {} })
  return (
    <>
      <SearchField label={label} text={text} onChange={setText} />
      <LoadedList
        of={found}
        rows={(page) =>
          page.holdings.filter((holding) => !inCollections || holding.collectionSlug !== null).map(pickOf)
        }
        empty={none(q ? words.noMatch : empty)}
        className={BOARD}
      >
        {(picks) => <Picks of={picks} {...choice} />}
      </LoadedList>
    </>
  )
}

/** Items of a collection, cheapest first, except those of `own`. */
export function CollectionBoard({
  collection,
  trait,
  own,
  ...choice
}: Choice & { collection: { slug: string; name: string }; trait: Trait | null; own: string }) {
  const { slug } = collection
  const [text, setText] = useState('')
  const q = useSettled(text.trim())
  const target = targetOf(trait)
  const found = usePages('browseItems', {
    params: { slug },
    query: {
      sort: 'price',
      ...(q ? { q } : {}),
      ...(target.kind === 'traits' ? { traits: JSON.stringify(target.traits) } : {}),
    },
  })
  return (
    <>
      <SearchField label={words.searchThese} text={text} onChange={setText} />
      <LoadedList
        of={found}
        rows={(page) =>
          page.items
            .filter(({ owner }) => owner !== own)
            .map(
              ({ inscriptionId, name, rawContentType, imageRenderingHint, priceSats }): Pick => ({
                inscriptionId,
                name,
                contentType: rawContentType,
                imageRenderingHint,
                sats: priceSats,
                collection,
              }),
            )
        }
        empty={none(words.noneFits)}
        className={BOARD}
      >
        {(picks) => <Picks of={picks} {...choice} />}
      </LoadedList>
    </>
  )
}

function SearchField({
  label,
  text,
  onChange,
}: {
  label: string
  text: string
  onChange: (text: string) => void
}) {
  return (
    <Field label={label}>
      <input
        type="search"
        value={text}
        maxLength={100}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        className={INPUT}
      />
    </Field>
  )
}
