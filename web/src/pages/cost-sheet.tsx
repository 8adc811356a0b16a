import { type FormEvent, useState } from 'react'
import { amountTyped } from '../money/typed.ts'
import { useSettings } from '../settings.tsx'
import { AmountField, satsIn, useFirstUnit } from '../ticket/amount-field.tsx'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { portfolio as words } from '../words/portfolio.ts'

/** Takes the cost of an item from its owner; null forgets it. */
export function CostSheet({
  name,
  typedSats,
  onType,
  onClose,
}: {
  name: string
  typedSats: number | undefined
  onType: (sats: number | null) => void
  onClose: () => void
}) {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const [typed, setTyped] = useState({
    text: typedSats === undefined ? '' : amountTyped(typedSats, unit, fiat),
    unit,
  })
  const [isSent, setSent] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    const sats = satsIn(typed, fiat)
    if (sats !== null) onType(sats)
  }
  return (
    <Sheet open title={words.costTitle(name)} onClose={onClose}>
      <form onSubmit={save} className="grid gap-4" noValidate>
        <AmountField
          label={words.cost}
          value={typed}
          onChange={setTyped}
          leastSats={0}
          isSent={isSent}
          hint={words.costHint}
        />
        <div className="flex flex-wrap gap-2">
          <Button kind="main" type="submit">
            {words.saveCost}
          </Button>
          {typedSats !== undefined && <Button onClick={() => onType(null)}>{words.forgetCost}</Button>}
        </div>
      </form>
    </Sheet>
  )
}
