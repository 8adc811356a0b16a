import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { CountBars } from '../charts/count-bars.tsx'

export function CollectionAsks({ slug }: { slug: string }) {
  const { unit, fiat } = useSettings()
  const found = useRead('getCollectionAnalytics', { params: { slug } })
  const say = (sats: number) => Object.values(amount(sats, unit, fiat)).join(' ')
  return (
    <section aria-label={words.asks} className="panel min-h-56 p-4">
      <h2 className="mb-3 text-h3">{words.asks}</h2>
      <Loaded of={found}>
        {({ asks: { leastSats, stepSats, parts, above } }) => {
          if (leastSats === null || stepSats === null)
            return <p className="text-small text-soft">{words.noAsks}</p>
          const fromOf = (part: number) => leastSats + part * stepSats
          const bars = parts.map((items, part) => ({
            name: words.range(say(fromOf(part)), say(fromOf(part + 1) - 1)),
            count: items,
          }))
          const rest = words.from(say(fromOf(parts.length)))
          return (
            <CountBars
              bars={[...bars, { name: rest, count: above, isRest: true }]}
              say={words.asksAt}
              ends={[say(leastSats), rest]}
              heads={[words.price, words.items]}
            />
          )
        }}
      </Loaded>
    </section>
  )
}
