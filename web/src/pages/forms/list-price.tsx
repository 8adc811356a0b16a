import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { type AmountText, filledAmount } from '@ordbook/web-ui/money/amount-text.ts'
import { difference, shareDown } from '@ordbook/web-ui/money/difference.ts'
import type { WayOut } from '@ordbook/web-ui/rules/guards.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Comparison, type Reference } from '@ordbook/web-ui/ticket/comparison.tsx'
import { AmountField } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { QuickChoices } from '@ordbook/web-ui/ticket/fields/quick-choices.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { factsOf, referencesOf } from '@ordbook/web-ui/ticket/references.ts'
import { stepOf } from '../batch/batch-prices.ts'
import { NotListable } from './not-listable.tsx'
import type { Priced, ToList } from './priced.ts'

/** Price field of an item. Far below the floor, the price must be typed again. */
export function ListPrice({
  of: { item, price, again, sats, facts, guards, isRepeated },
  leastSats,
  isSent,
  ways,
  onPrice,
  onAgain,
}: {
  of: Priced<ToList>
  leastSats: number
  isSent: boolean
  ways: Partial<Record<WayOut, (() => void) | undefined>>
  onPrice: (price: AmountText) => void
  onAgain: (price: AmountText) => void
}) {
  const { fiat } = useSettings()
  const { inscriptionId, listedSats } = item
  const references = referencesOf(facts?.data, inscriptionId)
  const floorSats = facts?.data.collection.floorSats ?? item.floorSats
  const traitFloorSats = factsOf(facts?.data, inscriptionId)?.traitFloor?.floorSats ?? null
  const setPrice = (chosen: number) => onPrice(filledAmount(chosen, price.unit, fiat))
  return (
    <div className="grid gap-3">
      <AmountField
        label={ticket.price}
        value={price}
        onChange={onPrice}
        leastSats={leastSats}
        isSent={isSent}
      />
      <QuickChoices
        of={[
          { label: ticket.floor, sats: floorSats },
          { label: ticket.traitFloor, sats: traitFloorSats },
          lessThan(listedSats),
        ].filter((each) => (each.sats ?? 0) >= leastSats)}
        onChoose={setPrice}
      />
      {references.length > 0 && <Comparison sats={sats} of={references} />}
      {facts?.item.refused && <NotListable inscriptionId={inscriptionId} code={facts.item.refused.code} />}
      <GuardList guards={guards} ways={{ ...ways, 'match-floor': () => setPrice(floorSats!) }} />
      {guards.some((guard) => guard.retype) && (
        <AmountField
          label={ticket.priceAgain}
          value={again}
          onChange={onAgain}
          isSent={isSent}
          hint={
            isSent && !isRepeated && sats !== null ? (
              <span className="text-down">{ticket.otherPrice}</span>
            ) : null
          }
        />
      )}
    </div>
  )
}

const LESS_PERCENT = 90

/** A lower price, rounded down to the step. The label says by how much it is lower. */
function lessThan(listedSats: number | null): Reference {
  if (!listedSats) return { label: ticket.listLess(''), sats: null }
  const sats = shareDown(listedSats, LESS_PERCENT, stepOf((listedSats * LESS_PERCENT) / 100))
  return { label: ticket.listLess(difference(sats, listedSats)), sats }
}
