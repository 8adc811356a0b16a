import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { difference } from '@ordbook/web-ui/money/difference.ts'
import { portfolio as words } from '@ordbook/web-ui/strings/portfolio.ts'
import { useState } from 'react'
import { MEASURES, type Measure, realisedOf, totalsOf, type Worth } from '../holdings/item-worth.ts'
import { Figure } from '../parts/figure.tsx'
import type { TypedCosts } from './typed-costs.ts'

const DAYS = 30

interface Props {
  worths: readonly Worth[]
  measure: Measure
  setMeasure: (measure: Measure) => void
  costs: TypedCosts
}

/** Total value, cost and profit of the listed items. */
export function WalletValues({ worths, measure, setMeasure, costs }: Props) {
  const { values, costSats, unknownCosts, profitSats, comparedCostSats } = totalsOf(worths, measure)
  const isCompared = comparedCostSats > 0
  return (
    <section
      aria-label={words.values}
      className="panel grid gap-x-8 gap-y-4 p-4 lg:grid-cols-[auto_minmax(0,1fr)]"
    >
      <div className="grid content-start gap-1">
        <p className="text-caption text-soft">{words.ofShown(worths.length)}</p>
        <MeasureSwitch measure={measure} setMeasure={setMeasure} />
      </div>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-3">
        {MEASURES.map((measure) => (
          <Figure key={measure} label={words.by(measure)} sats={values[measure]} />
        ))}
        <Figure
          label={words.cost}
          sats={unknownCosts === worths.length ? null : costSats}
          note={unknownCosts > 0 ? words.unknownCosts(unknownCosts) : ''}
        />
        <Figure
          label={words.unrealised}
          sats={isCompared ? profitSats : null}
          note={isCompared ? difference(comparedCostSats + profitSats, comparedCostSats) : ''}
          isProfit
        />
        <Realised costs={costs} />
      </dl>
    </section>
  )
}

function MeasureSwitch({ measure, setMeasure }: Pick<Props, 'measure' | 'setMeasure'>) {
  return (
    <fieldset className="flex w-fit max-w-full flex-wrap rounded-control bg-raised p-0.5">
      <legend className="sr-only">{words.valueBy}</legend>
      {MEASURES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={measure === each}
          onClick={() => setMeasure(each)}
          className="min-h-8 rounded-badge px-2.5 text-small text-soft aria-pressed:bg-surface aria-pressed:text-ink"
        >
          {words.measures[each]}
        </button>
      ))}
    </fieldset>
  )
}

function Realised({ costs }: { costs: TypedCosts }) {
  // Rounded to a day for caching.
  const [since] = useState(() => {
    const day = new Date(Date.now() - DAYS * 86_400_000)
    return `${day.toISOString().slice(0, 10)}T00:00:00Z`
  })
  const { data } = useRead('listOwnSales', { query: { since, limit: 100 } })
  const { profitSats, count: sales } = realisedOf(data?.sales ?? [], costs)
  return (
    <Figure
      label={data?.pagination.hasNext ? words.realisedLast(data.sales.length) : words.realised(DAYS)}
      sats={data && sales > 0 ? profitSats : null}
      note={sales > 0 ? words.salesCounted(count(sales), sales) : ''}
      isProfit
    />
  )
}
