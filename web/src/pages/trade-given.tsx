import { useState } from 'react'
import { usePages, useSettled } from '../client.ts'
import { Field, INPUT } from '../ui/basics.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { swap as words } from '../words/swap.ts'
import { type Holding, HoldingChoice } from './holdings.tsx'
import { TradeTile } from './trade-tile.tsx'

interface Props {
  address: string
  chosen: ReadonlyMap<string, Holding>
  onToggle: (holding: Holding) => void
}

/** The items that a proposer gives, chosen from all that the wallet holds. */
export function TradeGiven({ address, chosen, onToggle }: Props) {
  const [text, setText] = useState('')
  const q = useSettled(text.trim())
  const found = usePages('listHoldings', { params: { address }, query: q ? { q } : {} })
  return (
    <>
      <p className="text-small text-soft" aria-live="polite">
        {words.chosen(chosen.size)}
      </p>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-3 empty:hidden">
        {[...chosen.values()].map((holding) => (
          <li key={holding.inscriptionId} className="min-w-0">
            <TradeTile item={holding} sats={holding.collectionFloorSats} onRemove={() => onToggle(holding)} />
          </li>
        ))}
      </ul>
      <Field label={words.searchItems}>
        <input
          type="search"
          value={text}
          maxLength={100}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          className={INPUT}
        />
      </Field>
      <LoadedList
        of={found}
        rows={(page) => page.holdings}
        empty={<p className="text-small text-soft">{q ? words.noMatch : words.noItems}</p>}
        className="max-h-[30rem] overflow-y-auto p-1"
      >
        {(holdings) => (
          <HoldingChoice
            of={holdings}
            isChosen={(id) => chosen.has(id)}
            onToggle={(id) => {
              const holding = holdings.find((each) => each.inscriptionId === id)
              if (holding) onToggle(holding)
            }}
          />
        )}
      </LoadedList>
    </>
  )
}
