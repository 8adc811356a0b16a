import { useRead, useSettled } from '@ordbook/web-ui/api/client.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { Button, Field, INPUT } from '@ordbook/web-ui/ui/basics.tsx'
import { CollectionName } from '@ordbook/web-ui/ui/collection-name.tsx'
import { useState } from 'react'
import { TraitSelect } from '../forms/trait-select.tsx'
import { CollectionBoard, HoldingsBoard } from './boards/trade-boards.tsx'
import { type Leg, MAX_WANTED, newLeg, toggledIn } from './trade-legs.ts'
import type { Pick } from './trade-picks.tsx'

type SetLegs = (change: (before: readonly Leg[]) => readonly Leg[]) => void

/** The wanted items, one leg per collection. `own`: address of the proposer. */
export function TradeWanted({
  legs,
  setLegs,
  own,
  from,
}: {
  legs: readonly Leg[]
  setLegs: SetLegs
  own: string
  from: string
}) {
  const toggle = (pick: Pick) => setLegs((before) => toggledIn(before, pick))
  return (
    <>
      {legs.map((leg) => (
        <LegFields
          key={leg.key}
          leg={leg}
          own={own}
          onToggle={toggle}
          onChange={(change) =>
            setLegs((before) => before.map((each) => (each.key === leg.key ? { ...each, ...change } : each)))
          }
          onRemove={() => setLegs((before) => before.filter((each) => each.key !== leg.key))}
        />
      ))}
      <Finder
        own={own}
        from={from}
        isChosen={(id) => legs.some(({ picks }) => picks.has(id))}
        onToggle={toggle}
        onAdd={(found) => setLegs((before) => [...before, { ...newLeg(found), isOpen: true }])}
      />
    </>
  )
}

/** Matches text that looks like an address. The market validates it. */
const ADDRESS = /^((bc|tb|bcrt)1[a-z0-9]{20,100}|[123mn][1-9A-HJ-NP-Za-km-z]{25,34})$/i

interface FinderProps {
  own: string
  from: string
  isChosen: (id: string) => boolean
  onToggle: (pick: Pick) => void
  onAdd: (found: { slug: string; name: string }) => void
}

/** Finds collections by name, or the items of an address. */
function Finder({ own, from, isChosen, onToggle, onAdd }: FinderProps) {
  const [text, setText] = useState(from)
  const asked = useSettled(text.trim())
  const isAddress = ADDRESS.test(asked)
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <Field label={words.find}>
        <input
          type="search"
          value={text}
          maxLength={120}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          placeholder={words.nameOrAddress}
          className={INPUT}
        />
      </Field>
      {!isAddress && (
        <Found
          asked={asked}
          onAdd={(found) => {
            onAdd(found)
            setText('')
          }}
        />
      )}
      {isAddress && asked === own && <p className="text-small text-soft">{words.ownAddress}</p>}
      {isAddress && asked !== own && (
        <HoldingsBoard
          key={asked}
          address={asked}
          label={words.searchOf(shortAddress(asked))}
          empty={words.holdsNone}
          inCollections
          isChosen={isChosen}
          onToggle={onToggle}
        />
      )}
    </div>
  )
}

function Found({ asked, onAdd }: { asked: string; onAdd: (found: { slug: string; name: string }) => void }) {
  const query = { limit: 6, sort: 'volume' as const, ...(asked ? { q: asked } : {}) }
  const found = useRead('browseCollections', { query }, { keep: true })
  return (
    <ul className="flex flex-wrap gap-2" aria-live="polite">
      {found.data?.collections.map((collection) => (
        <li key={collection.slug} className="max-w-full">
          <Button onClick={() => onAdd({ slug: collection.slug, name: collection.name })}>
            <span aria-hidden="true">+</span>
            <span className="sr-only">Add</span>{' '}
            <CollectionName of={{ ...collection, collectionName: collection.name }} />
          </Button>
        </li>
      ))}
      {found.data?.collections.length === 0 && <li className="text-small text-soft">{words.noCollection}</li>}
    </ul>
  )
}

interface LegProps {
  leg: Leg
  own: string
  onToggle: (pick: Pick) => void
  onChange: (change: Partial<Leg>) => void
  onRemove: () => void
}

function LegFields({ leg, own, onToggle, onChange, onRemove }: LegProps) {
  const { data } = useRead('getCollection', { params: { slug: leg.slug } })
  const most = leg.picks.size || MAX_WANTED
  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3 rounded-card border border-line p-3">
      <legend className="flex max-w-full items-center gap-1.5 px-1 text-h3">
        <CollectionName
          of={{
            collectionName: leg.name,
            verificationStatus: data?.verificationStatus ?? null,
            sameNameAs: data?.sameNameAs ?? null,
          }}
        />
      </legend>
      <div className="grid gap-3 sm:grid-cols-[6rem_1fr]">
        <Field label={words.howMany}>
          <input
            type="number"
            min={1}
            max={most}
            value={leg.quantity}
            onChange={(event) =>
              onChange({ quantity: Math.max(1, Math.min(most, Number(event.target.value) || 1)) })
            }
            className={INPUT}
          />
        </Field>
        <Field label={words.withTrait}>
          <TraitSelect
            any={words.anyTrait}
            slug={leg.slug}
            value={leg.trait}
            onChange={(trait) => onChange({ trait })}
          />
        </Field>
      </div>
      <p className="text-small text-soft">{words.wish(leg.quantity, leg.picks.size)}</p>
      {leg.isOpen && (
        <CollectionBoard
          collection={leg}
          trait={leg.trait}
          own={own}
          isChosen={(id) => leg.picks.has(id)}
          onToggle={onToggle}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button aria-expanded={leg.isOpen} onClick={() => onChange({ isOpen: !leg.isOpen })}>
          {leg.isOpen ? words.hideItems : words.chooseItems}
          <span className="sr-only"> {leg.name}</span>
        </Button>
        <Button kind="ghost" onClick={onRemove}>
          Remove<span className="sr-only"> {leg.name}</span>
        </Button>
      </div>
    </fieldset>
  )
}
