import type { DurationDays } from '@ordbook/contract/durations.ts'
import { queries } from '@ordbook/web-ui/api/client.ts'
import { filledAmount } from '@ordbook/web-ui/money/amount-text.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import type * as Trades from '@ordbook/web-ui/signing/trades.ts'
import { portfolio } from '@ordbook/web-ui/strings/portfolio.ts'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import type { ShownQuote } from '@ordbook/web-ui/ticket/quotes/purchase-quote.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { PriceCutIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { useState } from 'react'
import { daysIn } from '../forms/priced.ts'
import { BatchSummary, BatchTotal } from './batch-summary.tsx'
import { BatchTable, tableText } from './batch-table.tsx'
import { PriceTools } from './price-tools.tsx'
import { batch as words } from './strings.ts'
import { type BatchInput, type BatchRow, type Batch as BatchState, inputsOf, useBatch } from './use-batch.ts'

interface Props {
  /** Ticket that keeps the prices. */
  subject: string
  rows: readonly BatchRow[]
  list: (
    trades: typeof Trades,
    trading: Trades.Trading,
    inputs: readonly BatchInput[],
    days: DurationDays,
    quotes: readonly ShownQuote[],
  ) => Promise<void>
  onDone?: (() => void) | undefined
  /** False if the listings can only be repriced. */
  canDelist?: boolean
  /** True in a dialog, which has no room for a fixed bar. */
  isInSheet?: boolean
}

/** Lists items of several collections and changes their prices with one button. */
export function Batch({ subject, rows, list, onDone, canDelist = true, isInSheet = false }: Props) {
  const batch = useBatch(subject, rows)
  const { fields, setFields } = batch
  const chosenWith = (ids: readonly string[], isChosen: boolean) => [
    ...fields.chosen.filter((id) => !ids.includes(id)),
    ...(isChosen ? ids : []),
  ]
  return (
    <div className={`grid items-start gap-4 ${isInSheet ? '' : 'lg:grid-cols-[minmax(0,1fr)_340px]'}`}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <PriceTools of={batch} />
        <div className="panel overflow-x-auto">
          <BatchTable
            of={batch}
            {...tableText(batch)}
            onChoose={(ids, isChosen) => setFields({ ...fields, chosen: chosenWith(ids, isChosen) })}
            onPrice={(id, value, isChosen) =>
              setFields({
                ...fields,
                chosen: chosenWith([id], isChosen),
                prices: { ...fields.prices, [id]: value },
              })
            }
            onAgain={(id, value) => setFields({ ...fields, again: { ...fields.again, [id]: value } })}
          />
        </div>
        <p className="text-caption text-soft max-md:hidden">{words.keys}</p>
      </div>
      <Panel
        batch={batch}
        subject={subject}
        isInSheet={isInSheet}
        list={list}
        onDone={onDone}
        canDelist={canDelist}
      />
    </div>
  )
}

/** On wide screens next to the table, otherwise a bar below it that opens. */
function Panel({
  batch,
  subject,
  isInSheet,
  canDelist,
  ...props
}: Pick<Props, 'subject' | 'list' | 'onDone'> & {
  batch: BatchState
  isInSheet: boolean
  canDelist: boolean
}) {
  const [isOpen, setOpen] = useState(false)
  const { fields, setFields, lines, listable, unit, fiat } = batch
  const isEmpty = !lines.some(({ isChosen }) => isChosen)
  const folded = isOpen || isInSheet ? '' : 'max-lg:hidden'
  const fixed = isInSheet
    ? ''
    : 'max-lg:fixed max-lg:inset-x-3 max-lg:bottom-[calc(var(--tabs-height)+12px)] max-lg:z-30 max-lg:max-h-[70dvh] max-lg:shadow-floating overflow-y-auto lg:sticky lg:top-[calc(var(--bar-height)+16px)] lg:max-h-[calc(100dvh-var(--bar-height)-32px)]'
  return (
    <section
      aria-label={words.summary}
      data-batch-bar={isInSheet || isEmpty ? undefined : ''}
      className={`panel grid gap-4 p-4 ${fixed} ${isEmpty && !isInSheet ? 'max-lg:hidden' : ''}`}
    >
      <div className={`flex items-center justify-between gap-3 ${folded}`}>
        <h2 className="text-h2">{words.changes(listable.length)}</h2>
        {!isEmpty && (
          <Button kind="ghost" onClick={() => setFields({ ...fields, chosen: [] })}>
            {words.clear}
          </Button>
        )}
      </div>
      {isEmpty ? (
        <p className="text-small text-soft">{words.none}</p>
      ) : (
        <div className={`grid gap-4 ${folded}`}>
          <BatchSummary
            of={batch}
            onMatchFloor={(id, sats) =>
              setFields({ ...fields, prices: { ...fields.prices, [id]: filledAmount(sats, unit, fiat) } })
            }
          />
          {canDelist && <Delist batch={batch} subject={subject} />}
        </div>
      )}
      <BatchTotal of={batch} subject={subject} />
      <div className="flex gap-2">
        {!isInSheet && (
          <Button
            aria-label={words.details}
            aria-expanded={isOpen}
            className="!px-3 lg:hidden"
            onClick={() => setOpen(!isOpen)}
          >
            <PriceCutIcon className={isOpen ? '' : 'rotate-180'} />
          </Button>
        )}
        <Send batch={batch} subject={subject} {...props} />
      </div>
    </section>
  )
}

/** The one button for all collections. Its label names the risks. */
function Send({
  batch,
  subject,
  list,
  onDone,
}: Pick<Props, 'subject' | 'list' | 'onDone'> & { batch: BatchState }) {
  const { run, busy } = useAct(subject)
  const { fields, listable, lines, quotes, isQuoting, key, moved } = batch
  const guards = [...moved.guards, ...listable.flatMap((change) => change.guards)]
  const risks = guards.filter(({ level }) => level === 'confirm')
  const isLow = (id: string) => id === 'under-floor' || id === 'far-under'
  const low = risks.filter(({ id }) => isLow(id)).length
  const label =
    listable.length === 0 ? words.reviewNone : words.review(listable.length, low, risks.length - low)
  const guarded = useGuarded(
    label,
    guards,
    key,
    risks.length > 1 ? words.continueWith(risks.length) : undefined,
  )
  const canSend =
    listable.length > 0 &&
    !isQuoting &&
    listable.every(({ facts, isRepeated }) => facts && isRepeated) &&
    !lines.some(({ isInvalid }) => isInvalid)
  const send = async () => {
    const inputs = inputsOf(listable)
    const [days] = daysIn(fields.days)
    const done = await run(words.listing(inputs.length), async (trades, trading) => {
      await list(trades, trading, inputs, days, quotes)
      return words.listed(inputs.length)
    })
    // The fees or floors may have changed.
    if (!done) return void queries.invalidateQueries({ queryKey: ['quoteListing'] })
    onDone?.()
  }
  return (
    <Button
      kind="main"
      large
      className="min-w-0 flex-1"
      disabled={busy !== null || guarded.isStopped || listable.length === 0}
      aria-disabled={!canSend || undefined}
      onClick={() => canSend && guarded.press(() => void send())}
    >
      {guarded.label}
    </Button>
  )
}

/** Ends the listings of the chosen items. Needs no signature. */
function Delist({ batch: { lines }, subject }: { batch: BatchState; subject: string }) {
  const { run, busy } = useAct(`${subject} delist`)
  const listed = lines.flatMap(({ isChosen, row: { inscriptionId, listingId, slug } }) =>
    isChosen && listingId !== null ? [{ inscriptionId, listingId, slug }] : [],
  )
  if (listed.length === 0) return null
  const delist = () =>
    run(portfolio.delisting(listed.length), async (trades, trading) => {
      await trades.delistItems(trading, listed)
      return portfolio.delisted
    })
  return (
    <div className="flex items-center justify-between gap-3 border-t border-line pt-3 text-small text-soft">
      {words.listedCount(listed.length)}
      <Button disabled={busy !== null} onClick={() => void delist()}>
        {portfolio.delist(listed.length)}
      </Button>
    </div>
  )
}
