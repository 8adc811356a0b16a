import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { CountBars } from '../charts/count-bars.tsx'
import { hasOutliers, pricesOf, startOf } from './price-ranges.ts'

export function CollectionAsks({ slug }: { slug: string }) {
  const { unit, fiat } = useSettings()
  const found = useRead('getPriceHistogram', { params: { slug } })
  const say = (sats: number) => Object.values(amount(sats, unit, fiat)).join(' ')
  return (
    <section aria-label={words.asks} className="panel min-h-56 p-4">
      <h2 className="mb-3 text-h3">{words.asks}</h2>
      <Loaded of={found}>
        {(histogram) => {
          const prices = pricesOf(histogram)
          if (!prices) return <p className="text-small text-soft">{words.noAsks}</p>
          const last = prices.bars.length - 1
          const bars = prices.bars.map((items, bar) => {
            const isRest = bar === last && hasOutliers(prices)
            const from = say(startOf(prices, bar))
            return {
              name: isRest ? words.from(from) : words.range(from, say(startOf(prices, bar + 1) - 1)),
              count: items,
              isRest,
            }
          })
          return (
            <CountBars
              bars={bars}
              say={words.asksAt}
              ends={[say(prices.leastSats), bars[last]!.name]}
              heads={[words.price, words.items]}
            />
          )
        }}
      </Loaded>
    </section>
  )
}
