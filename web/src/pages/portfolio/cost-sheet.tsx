import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { type AmountText, filledAmount, satsIn } from '@ordbook/web-ui/money/amount-text.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { AmountField, useFirstUnit } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { Sheet } from '@ordbook/web-ui/ui/sheet.tsx'
import { type FormEvent, useState } from 'react'

/** Form for the cost of an item. Null removes the cost. */
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
  const [typed, setTyped] = useState<AmountText>(
    typedSats === undefined ? { text: '', unit } : filledAmount(typedSats, unit, fiat),
  )
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
