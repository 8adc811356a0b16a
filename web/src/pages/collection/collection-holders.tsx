import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { Loaded } from '@ordbook/web-ui/ui/basics.tsx'
import { AddressLink } from '../parts/links.tsx'

const HEAD = 'px-4 py-1 font-[560]'
const NUMBER = 'tabular px-4 py-2 text-right'

export function CollectionHolders({ slug }: { slug: string }) {
  const found = useRead('getCollectionAnalytics', { params: { slug } })
  return (
    <section className="panel overflow-hidden">
      <h2 className="px-4 pt-4 text-h3">{words.holders}</h2>
      <Loaded of={found}>
        {({ holders: { itemCount, ownerCount, unownedCount, distribution, top } }) => (
          <>
            <p className="px-4 pb-3 text-small text-soft">
              {words.holdersOf(ownerCount, itemCount - unownedCount)}
              {unownedCount > 0 && ` ${words.unowned(unownedCount)}`}
            </p>
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2">
              <table className="w-full self-start text-small">
                <thead className="text-left text-caption text-soft">
                  <tr className="border-y border-line">
                    <th scope="col" className={HEAD}>
                      {words.held}
                    </th>
                    <th scope="col" className={`${HEAD} text-right`}>
                      {words.owners}
                    </th>
                    <th scope="col" className={`${HEAD} text-right`}>
                      {words.items}
                    </th>
                    <th scope="col" className={`${HEAD} w-1/3`}>
                      {words.share}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {distribution.map(({ least, most, owners, items }) => (
                    <tr key={least}>
                      <th scope="row" className="px-4 py-2 text-left font-normal whitespace-nowrap">
                        {words.size(least, most)}
                      </th>
                      <td className={NUMBER}>{count(owners)}</td>
                      <td className={NUMBER}>{count(items)}</td>
                      <td className="px-4">
                        <Share part={items} of={itemCount} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {top.length > 0 && (
                <table className="w-full self-start text-small">
                  <caption className="sr-only">{words.largest}</caption>
                  <thead className="text-left text-caption text-soft">
                    <tr className="border-y border-line">
                      <th scope="col" className={HEAD}>
                        {words.largest}
                      </th>
                      <th scope="col" className={`${HEAD} text-right`}>
                        {words.items}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {top.map(({ address, itemCount: held }, n) => (
                      <tr key={address ?? n}>
                        <th scope="row" className="px-4 py-2 text-left font-mono text-caption font-normal">
                          {address ? <AddressLink address={address} /> : words.unnamed}
                        </th>
                        <td className={NUMBER}>{count(held)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </div>
          </>
        )}
      </Loaded>
    </section>
  )
}

function Share({ part, of }: { part: number; of: number }) {
  const percent = of === 0 ? 0 : (part / of) * 100
  return (
    <span className="flex items-center gap-2">
      <span className="h-2 flex-1 overflow-hidden rounded-badge bg-raised" aria-hidden="true">
        <span className="block h-full bg-accent" style={{ width: `${percent}%` }} />
      </span>
      <span className="tabular w-12 text-right text-soft">{percent.toFixed(1)}%</span>
    </span>
  )
}
