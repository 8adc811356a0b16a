import { useRead } from '../client.ts'
import { amount } from '../format.ts'
import { useSettings } from '../settings.tsx'
import { Loaded } from '../ui/basics.tsx'
import { charts as words } from '../words/charts.ts'

/** The listings of a collection by price: a bar for each part of the prices, with the same numbers as a table. */
export function CollectionAsks({ slug }: { slug: string }) {
  const { unit, fiat } = useSettings()
  const found = useRead('getCollectionAsks', { params: { slug } })
  const say = (sats: number) => Object.values(amount(sats, unit, fiat)).join(' ')
  return (
    <section aria-label={words.asks} className="panel min-h-56 p-4">
      <h2 className="mb-3 text-h3">{words.asks}</h2>
      <Loaded of={found}>
        {({ leastSats, stepSats, parts, above }) => {
          if (leastSats === null || stepSats === null)
            return <p className="text-small text-soft">{words.noAsks}</p>
          const most = Math.max(...parts, above)
          const rows = [...parts, above]
            .map((items, part) => ({
              items,
              fromSats: leastSats + part * stepSats,
              isRest: part === parts.length,
            }))
            .map((row) => ({
              ...row,
              name: row.isRest
                ? words.from(say(row.fromSats))
                : words.range(say(row.fromSats), say(row.fromSats + stepSats - 1)),
            }))
          return (
            <>
              <div aria-hidden="true" className="flex h-24 items-end gap-0.5">
                {rows.map(({ items, fromSats, isRest, name }) => (
                  <span
                    key={fromSats}
                    title={words.asksAt(name, items)}
                    className={`min-w-0 flex-1 rounded-t-sm ${isRest ? 'bg-edge' : 'bg-accent'}`}
                    style={{ height: `${items === 0 ? 0 : Math.max(4, (items / most) * 100)}%` }}
                  />
                ))}
              </div>
              <p className="tabular mt-1 flex justify-between border-t border-line pt-1 text-caption text-soft">
                <span>{say(leastSats)}</span>
                <span>{words.from(say(leastSats + parts.length * stepSats))}</span>
              </p>
              <details className="mt-2 text-small">
                <summary className="min-h-6 text-soft underline">{words.table}</summary>
                <table className="mt-2 text-left">
                  <thead className="text-caption text-soft">
                    <tr>
                      <th scope="col" className="pr-6 font-[560]">
                        {words.price}
                      </th>
                      <th scope="col" className="font-[560]">
                        {words.items}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows
                      .filter(({ items }) => items > 0)
                      .map(({ name, items }) => (
                        <tr key={name}>
                          <th scope="row" className="pr-6 font-normal">
                            {name}
                          </th>
                          <td className="tabular">{items}</td>
                        </tr>
                      ))}
                  </tbody>
                </table>
              </details>
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
