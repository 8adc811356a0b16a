import { swap as words } from '@ordbook/web-ui/strings/swap.ts'
import { HoldingsBoard } from './boards/trade-boards.tsx'
import type { Pick } from './trade-picks.tsx'

interface Props {
  address: string
  chosen: ReadonlyMap<string, Pick>
  onToggle: (pick: Pick) => void
}

export function TradeGiven({ address, chosen, onToggle }: Props) {
  return (
    <>
      <p className="text-small text-soft" aria-live="polite">
        {words.chosen(chosen.size)}
      </p>
      <HoldingsBoard
        address={address}
        label={words.searchItems}
        empty={words.noItems}
        isChosen={(id) => chosen.has(id)}
        onToggle={onToggle}
      />
    </>
  )
}
