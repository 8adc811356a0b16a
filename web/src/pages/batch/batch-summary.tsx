import type { DurationDays } from '@ordbook/contract/durations.ts'
import { errorText } from '@ordbook/web-ui/api/error-text.ts'
import type { Guard as Named } from '@ordbook/web-ui/rules/guards.ts'
import { useWindows } from '@ordbook/web-ui/session/use-windows.ts'
import { guardText, WAYS_OUT } from '@ordbook/web-ui/strings/trade.ts'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { QuoteBill } from '@ordbook/web-ui/ticket/quotes/quote-bill.tsx'
import { Field, Price, Select } from '@ordbook/web-ui/ui/basics.tsx'
import { Guard } from '@ordbook/web-ui/ui/guard.tsx'
import { DAYS, daysIn, type Priced } from '../forms/priced.ts'
import { batch as words } from './strings.ts'
import { type Batch, type BatchRow, psbtsOf } from './use-batch.ts'

/** Items named in a warning; the others are counted. */
const MAX_NAMED = 3

/** What will change, its warnings and one bill for all collections. */
export function BatchSummary({
  of,
  onMatchFloor,
}: {
  of: Batch
  onMatchFloor: (id: string, floorSats: number) => void
}) {
  const { fields, setFields, lines, changes, listable, bill, error, isQuoting, moved } = of
  const [days] = daysIn(fields.days)
  const isNew = listable.filter(({ item }) => item.listedSats === null).length
  const unchanged = lines.filter(
    ({ isChosen, isInvalid, change, row }) => isChosen && !isInvalid && !change && row.listedSats === null,
  ).length
  return (
    <div className="grid gap-4">
      <dl className="grid grid-cols-[1fr_auto] gap-y-1 text-small">
        <dt className="text-soft">{words.newListings}</dt>
        <dd className="tabular">{isNew}</dd>
        <dt className="text-soft">{words.priceChanges}</dt>
        <dd className="tabular">{listable.length - isNew}</dd>
      </dl>
      {unchanged > 0 && <p className="text-small text-soft">{words.withoutPrice(unchanged)}</p>}
      <Warnings changes={changes} onMatchFloor={onMatchFloor} />
      {error ? <p className="text-small text-down">{errorText(error)}</p> : null}
      {listable.length > 0 && (
        <QuoteBill
          of={{ data: bill, error: null, isPending: isQuoting }}
          total={words.ifSells(listable.length)}
          keepsPlace
        />
      )}
      <GuardList guards={moved.guards} ways={{ 'new-total': moved.accept }} />
      <Field label={words.expires}>
        <Select<DurationDays>
          options={DAYS}
          value={days}
          onChange={(next) => setFields({ ...fields, days: next })}
        />
      </Field>
    </div>
  )
}

/** The total, the number of wallet windows and failures, next to the button. */
export function BatchTotal({ of: { lines, listable, bill }, subject }: { of: Batch; subject: string }) {
  const asked = useWindows(psbtsOf(listable.map(({ item }) => item)))
  const invalid = lines.filter(({ isInvalid }) => isInvalid).length
  return (
    <div className="grid gap-1 text-small text-soft">
      {bill && (
        <p className="flex justify-between gap-4 lg:hidden">
          {words.ifSells(listable.length)} <Price sats={bill.totalSats} className="font-semibold text-ink" />
        </p>
      )}
      {asked && listable.length > 0 && <p>{words.windows(asked.wallet, asked.windows, listable.length)}</p>}
      <p className="max-lg:hidden">{words.stays}</p>
      {invalid > 0 && <p className="text-down">{words.invalid(invalid)}</p>}
      <Failure subject={subject} />
    </div>
  )
}

type Change = Priced<BatchRow>

/** Warnings of all prices: those that need a decision by name, notes counted. */
function Warnings({
  changes,
  onMatchFloor,
}: {
  changes: readonly Change[]
  onMatchFloor: (id: string, floorSats: number) => void
}) {
  const risks = changes.flatMap((change) =>
    change.guards.filter(({ level }) => level !== 'note').map((guard) => ({ change, guard })),
  )
  const noted = (id: Named['id']) =>
    changes.filter(({ guards }) => guards.some((guard) => guard.id === id)).length
  const refused = changes.filter(({ facts }) => facts?.item.refused)
  const notes = [
    ...(noted('under-trait-floor') > 0 ? [words.underTrait(noted('under-trait-floor'))] : []),
    ...(noted('same-as-offer') > 0 ? [words.sameAsOffer(noted('same-as-offer'))] : []),
  ]
  const rest = risks.length - MAX_NAMED
  return (
    <div className="grid gap-2 empty:hidden">
      {risks
        .toSorted((a, b) => Number(b.guard.level === 'stop') - Number(a.guard.level === 'stop'))
        .slice(0, MAX_NAMED)
        .map(({ change: { item, facts }, guard }) => {
          const { title, text } = guardText(guard)
          const floorSats = facts?.data.collection.floorSats ?? item.floorSats
          const action = guard.wayOut === 'match-floor' && floorSats !== null && (
            <button
              type="button"
              className="min-h-6 underline"
              onClick={() => onMatchFloor(item.inscriptionId, floorSats)}
            >
              {WAYS_OUT['match-floor']}
            </button>
          )
          return (
            <Guard
              key={`${item.inscriptionId} ${guard.id}`}
              level={guard.level}
              title={`${item.name}: ${title}`}
              text={text}
              action={action}
            />
          )
        })}
      {rest > 0 && <p className="text-small">{words.more(rest)}</p>}
      {notes.map((title) => (
        <Guard key={title} level="note" title={title} text="" />
      ))}
      {refused.map(({ item }) => (
        <p key={item.inscriptionId} className="text-small text-down">
          {words.refused(item.name)}
        </p>
      ))}
    </div>
  )
}
