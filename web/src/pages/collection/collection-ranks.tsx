import type { Answer } from '@ordbook/sdk/operations.ts'
import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { amount, count } from '@ordbook/web-ui/format/format.ts'
import { charts as words } from '@ordbook/web-ui/strings/charts.ts'
import { rank as rankWords } from '@ordbook/web-ui/strings/pages.ts'
import { Loaded, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { useMemo } from 'react'
import { Chart } from '../charts/chart.tsx'
import { rankedPrices } from '../charts/chart-data.ts'
import { Key } from '../charts/chart-key.tsx'

type Ranks = Answer<'getCollectionAnalytics'>['ranks']

const LINES = [
  { colour: '--accent', kind: 'dots' },
  { colour: '--up', kind: 'dots' },
] as const
const MAX_ROWS = 50

export function CollectionRanks({ slug }: { slug: string }) {
  const found = useRead('getCollectionAnalytics', { params: { slug } })
  return (
    <section aria-label={words.ranks} className="panel min-h-56 p-4">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="text-h3">{words.ranks}</h2>
        <p className="flex gap-4 text-caption text-soft" aria-hidden="true">
          <Key colour="bg-accent">{words.listed}</Key>
          <Key colour="bg-up">{words.sold}</Key>
        </p>
      </div>
      <Loaded of={found}>
        {({ ranks }) =>
          ranks.listings.length + ranks.sales.length === 0 ? (
            <p className="text-small text-soft">{words.noRanks}</p>
          ) : (
            <Shown ranks={ranks} />
          )
        }
      </Loaded>
      <p className="mt-2 text-caption text-soft">{rankWords.formula}</p>
    </section>
  )
}

function Shown({ ranks: { listings, sales } }: { ranks: Ranks }) {
  const { unit, fiat } = useSettings()
  const say = (sats: number) => Object.values(amount(Math.round(sats), unit, fiat)).join(' ')
  const short = (sats: number) => amount(Math.round(sats), unit, fiat).text
  const points = useMemo(() => rankedPrices(listings, sales), [listings, sales])
  const read = (place: number) => {
    const [ranks, listed, sold] = points
    const [ask, sale] = [listed[place] ?? null, sold[place] ?? null]
    return words.at(words.rankAt(Math.floor(ranks[place]!)), [
      ...(ask === null ? [] : [words.listedFor(say(ask))]),
      ...(sale === null ? [] : [words.soldFor(say(sale))]),
    ])
  }
  return (
    <>
      <Chart label={words.ranks} data={points} lines={LINES} say={short} across="rank" read={read} />
      <details className="mt-2 text-small">
        <summary className="min-h-6 text-soft underline">{words.table}</summary>
        <table className="mt-2 text-left">
          <thead className="text-caption text-soft">
            <tr>
              {[words.rank, words.listed, words.sold].map((head) => (
                <th key={head} scope="col" className="pr-6 font-[560]">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points[0].slice(0, MAX_ROWS).map((rank, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an item can be sold twice at one price
              <tr key={n}>
                <th scope="row" className="tabular pr-6 font-normal">
                  {count(Math.floor(rank))}
                </th>
                {[points[1][n]!, points[2][n]!].map((sats, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the order of the columns never changes
                  <td key={column} className="pr-6">
                    {sats !== null && <Price sats={sats} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
