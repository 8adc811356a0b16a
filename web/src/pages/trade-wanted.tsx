import type { Answer } from '@ordbook/sdk/operations.ts'
import { useState } from 'react'
import { useRead, useSettled } from '../client.ts'
import { Button, Field, INPUT, Price } from '../ui/basics.tsx'
import { CollectionName } from '../ui/collection-name.tsx'
import { Media } from '../ui/media.tsx'
import { swap as words } from '../words/swap.ts'
import { type Trait, TraitSelect, targetOf } from './trait-select.tsx'

/** A collection by its name, with its mark. */
type Named = Pick<
  Answer<'browseCollections'>['collections'][number],
  'slug' | 'name' | 'verificationStatus' | 'sameNameAs'
>

/** Items of one collection that a proposer wants. */
export interface Leg extends Named {
  key: number
  quantity: number
  trait: Trait | null
  /** Named inscriptions; empty: by collection or trait. */
  ids: string
}

let keys = 0

export function targetOfLeg(leg: Leg) {
  const ids = leg.ids.split(/[\s,]+/).filter(Boolean)
  if (ids.length > 0) return { kind: 'inscriptions' as const, inscriptionIds: [...new Set(ids)] }
  return targetOf(leg.trait)
}

/** The wanted inscriptions, a leg for each collection or trait. */
export function TradeWanted({
  legs,
  setLegs,
}: {
  legs: readonly Leg[]
  setLegs: (change: (before: Leg[]) => Leg[]) => void
}) {
  return (
    <>
      {legs.map((leg) => (
        <LegFields
          key={leg.key}
          leg={leg}
          onChange={(change) =>
            setLegs((before) => before.map((each) => (each.key === leg.key ? { ...each, ...change } : each)))
          }
          onRemove={() => setLegs((before) => before.filter((each) => each.key !== leg.key))}
        />
      ))}
      <AddLeg
        onAdd={({ slug, name, verificationStatus, sameNameAs }) =>
          setLegs((before) => [
            ...before,
            { key: ++keys, slug, name, verificationStatus, sameNameAs, quantity: 1, trait: null, ids: '' },
          ])
        }
      />
    </>
  )
}

function AddLeg({ onAdd }: { onAdd: (found: Named) => void }) {
  const [text, setText] = useState('')
  const asked = useSettled(text.trim())
  const query = { limit: 6, sort: 'volume' as const, ...(asked ? { q: asked } : {}) }
  const found = useRead('browseCollections', { query }, { keep: true })
  return (
    <div className="grid gap-2">
      <Field label={words.addCollection}>
        <input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          placeholder={words.byName}
          className={INPUT}
        />
      </Field>
      <ul className="flex flex-wrap gap-2" aria-live="polite">
        {found.data?.collections.map((each) => (
          <li key={each.slug} className="max-w-full">
            <Button
              onClick={() => {
                onAdd(each)
                setText('')
              }}
            >
              <span aria-hidden="true">+</span>
              <span className="sr-only">Add</span>{' '}
              <CollectionName of={{ ...each, collectionName: each.name }} />
            </Button>
          </li>
        ))}
        {found.data?.collections.length === 0 && (
          <li className="text-small text-soft">{words.noCollection}</li>
        )}
      </ul>
    </div>
  )
}

interface LegProps {
  leg: Leg
  onChange: (change: Partial<Leg>) => void
  onRemove: () => void
}

function LegFields({ leg, onChange, onRemove }: LegProps) {
  return (
    <fieldset className="grid min-w-0 gap-3 rounded-card border border-line p-3">
      <legend className="flex max-w-full items-center gap-1.5 px-1 text-h3">
        <CollectionName of={{ ...leg, collectionName: leg.name }} />
      </legend>
      <LegHead slug={leg.slug} />
      <div className="grid gap-3 sm:grid-cols-[6rem_1fr]">
        <Field label={words.howMany}>
          <input
            type="number"
            min={1}
            max={50}
            value={leg.quantity}
            onChange={(event) =>
              onChange({ quantity: Math.max(1, Math.min(50, Number(event.target.value) || 1)) })
            }
            className={INPUT}
          />
        </Field>
        <Field label={words.withTrait}>
          <TraitSelect
            any={words.anyTrait}
            slug={leg.slug}
            value={leg.trait}
            disabled={leg.ids.trim() !== ''}
            onChange={(trait) => onChange({ trait })}
          />
        </Field>
      </div>
      <Field label={words.onlyThese} hint={words.idsHint}>
        <input
          value={leg.ids}
          onChange={(event) => onChange({ ids: event.target.value })}
          className={INPUT}
        />
      </Field>
      <div>
        <Button kind="ghost" onClick={onRemove}>
          Remove<span className="sr-only"> {leg.name}</span>
        </Button>
      </div>
    </fieldset>
  )
}

/** A picture of the collection, and the value of each item by its floor. */
function LegHead({ slug }: { slug: string }) {
  const { data } = useRead('getCollection', { params: { slug } })
  if (!data) return null
  return (
    <div className="flex items-center gap-3">
      {data.previewInscriptionId && (
        <span className="w-16 shrink-0 overflow-hidden rounded">
          <Media id={data.previewInscriptionId} contentType={data.previewContentType ?? null} name="" />
        </span>
      )}
      <span className="text-small text-soft">
        {words.valueByFloor} <Price sats={data.floorSats} />
      </span>
    </div>
  )
}
