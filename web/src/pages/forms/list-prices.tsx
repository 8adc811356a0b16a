import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { shareDown, shareUp } from '@ordbook/web-ui/money/difference.ts'
import { amountTyped } from '@ordbook/web-ui/money/typed.ts'
import type { Fiat } from '@ordbook/web-ui/money/units.ts'
import type { WayOut } from '@ordbook/web-ui/rules/guards.ts'
import { type Guard, inLineGuards, listGuards } from '@ordbook/web-ui/rules/guards.ts'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Comparison } from '@ordbook/web-ui/ticket/comparison.tsx'
import {
  AmountField,
  type AmountText,
  satsIn,
  useFirstUnit,
} from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { QuickChoices } from '@ordbook/web-ui/ticket/fields/quick-choices.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import type { ListingFacts } from '@ordbook/web-ui/ticket/quotes/listing-quotes.ts'
import { factsOf, referencesOf } from '@ordbook/web-ui/ticket/references.ts'
import { Button, Price } from '@ordbook/web-ui/ui/basics.tsx'

export interface ToList {
  inscriptionId: string
  name: string
  slug: string | null
  floorSats: number | null
  royaltyBps: number
  /** Current price, or undefined if the item is not listed. */
  listedSats?: number | undefined
  /** Items in escrow cannot be sold into an offer. */
  isInEscrow?: boolean
}

/** An item with its price, quote and guards. */
export interface Priced<T> {
  item: T
  price: AmountText
  again: AmountText
  sats: number | null
  facts: ListingFacts
  guards: readonly Guard[]
  /** False if a price far below the floor was not typed again. */
  isRepeated: boolean
}

/** Returns an item with its price and guards. A pending quote uses the previous one. */
export function pricedOf<T extends ToList>(
  item: T,
  price: AmountText,
  again: AmountText,
  facts: ListingFacts,
  fiat: Fiat | null,
): Priced<T> {
  const sats = satsIn(price, fiat)
  const guards = sats ? guardsOf(item, sats, facts) : []
  const isRepeated = !guards.some((guard) => guard.retype) || satsIn(again, fiat) === sats
  return { item, price, again, sats, facts, guards, isRepeated }
}

function guardsOf(
  { inscriptionId, floorSats, isInEscrow }: ToList,
  priceSats: number,
  facts: ListingFacts,
): Guard[] {
  const compared = factsOf(facts?.data, inscriptionId)
  const isQuoted = facts?.item.priceSats === priceSats
  return [
    ...listGuards({
      priceSats,
      receiveSats: isQuoted ? facts.item.sellerReceiveSats : priceSats,
      floorSats: facts?.data.collection.floorSats ?? floorSats,
      traitFloorSats: compared?.traitFloor?.floorSats ?? null,
      lastSaleSats: compared?.lastSaleSats ?? null,
      bestBid: isQuoted && !isInEscrow ? (compared?.bestBid ?? null) : null,
    }),
    ...inLineGuards(priceSats, compared?.traitSales ?? null, compared?.traitFloor?.value ?? null),
  ]
}

/** Price step of a ladder, in percent. */
const RUNG = 105

type Floors = readonly { item: ToList; floorSats: number | null; traitFloorSats: number | null }[]

/** Sets all prices at once: one price, the floors, or a ladder. */
export function AllAtOnce({
  priced,
  all,
  leastSats,
  onPrices,
}: {
  priced: readonly Priced<ToList>[]
  all: AmountText | null
  leastSats: number
  onPrices: (prices: Record<string, AmountText>, all: AmountText | null) => void
}) {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const typed = (sats: number) => ({ text: amountTyped(Math.max(sats, leastSats), unit, fiat), unit })
  const floors: Floors = priced.map(({ item, facts }) => ({
    item,
    floorSats: facts?.data.collection.floorSats ?? item.floorSats,
    traitFloorSats: factsOf(facts?.data, item.inscriptionId)?.traitFloor?.floorSats ?? null,
  }))
  const set = (satsOf: (of: Floors[number], n: number) => number) =>
    onPrices(
      Object.fromEntries(floors.map((floor, n) => [floor.item.inscriptionId, typed(satsOf(floor, n))])),
      null,
    )
  const firstSats = (all && satsIn(all, fiat)) ?? floors[0]?.floorSats ?? null
  const hasFloors = floors.every((floor) => floor.floorSats !== null)
  const hasTraitFloors = floors.some((floor) => floor.traitFloorSats !== null)
  return (
    <>
      <AmountField
        label={ticket.priceForAll}
        value={all ?? { text: '', unit }}
        isSent={false}
        onChange={(price) =>
          onPrices(Object.fromEntries(priced.map(({ item }) => [item.inscriptionId, price])), price)
        }
      />
      <div className="flex flex-wrap gap-2 empty:hidden">
        {hasFloors && <Button onClick={() => set((of) => of.floorSats!)}>{ticket.eachFloor}</Button>}
        {hasFloors && hasTraitFloors && (
          <Button onClick={() => set((of) => of.traitFloorSats ?? of.floorSats!)}>
            {ticket.eachTraitFloor}
          </Button>
        )}
        {firstSats !== null && (
          <Button onClick={() => set((_, n) => shareUp(firstSats, 100 * (RUNG / 100) ** n, 1))}>
            {ticket.ladder}
          </Button>
        )}
      </div>
    </>
  )
}

/** Price field of an item. Far below the floor, the price must be typed again. */
export function ItemPrice({
  of: { item, price, again, sats, facts, guards, isRepeated },
  isOnly,
  leastSats,
  isSent,
  ways,
  onPrice,
  onAgain,
}: {
  of: Priced<ToList>
  /** True if the ticket has only this item. */
  isOnly: boolean
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
  const setPrice = (chosen: number) => onPrice({ ...price, text: amountTyped(chosen, price.unit, fiat) })
  const matchFloor = () => setPrice(floorSats!)
  const isQuoted = facts !== undefined && facts.item.priceSats === sats
  return (
    <div className="grid gap-3">
      <AmountField
        label={isOnly ? ticket.price : item.name}
        value={price}
        onChange={onPrice}
        leastSats={leastSats}
        isSent={isSent}
        hint={
          !isOnly &&
          isQuoted && (
            <>
              {ticket.youReceive} <Price sats={facts.item.sellerReceiveSats} />
            </>
          )
        }
      />
      {isOnly && (
        <>
          <QuickChoices
            of={[
              { label: ticket.floor, sats: floorSats },
              { label: ticket.traitFloor, sats: traitFloorSats },
              { label: ticket.listLess, sats: listedSats ? shareDown(listedSats, 90, 1) : null },
            ].filter((each) => (each.sats ?? 0) >= leastSats)}
            onChoose={setPrice}
          />
          {references.length > 0 && <Comparison sats={sats} of={references} />}
        </>
      )}
      {facts?.item.refused && (
        <p className="text-small text-down">{ticket.refused(facts.item.refused.code)}</p>
      )}
      <GuardList guards={guards} ways={{ ...ways, 'match-floor': matchFloor }} />
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
