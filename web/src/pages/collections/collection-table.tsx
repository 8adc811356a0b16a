import { count } from '@ordbook/web-ui/format/format.ts'
import { sharedNames } from '@ordbook/web-ui/format/names.ts'
import { columns, home as words } from '@ordbook/web-ui/strings/home.ts'
import { items, toldApart } from '@ordbook/web-ui/strings/pages.ts'
import { Change, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import { PriceColumn } from '@ordbook/web-ui/ui/price-column.tsx'
import { Sparkline } from '../charts/sparkline.tsx'
import { CollectionLine, type CollectionRow } from '../parts/collection-line.tsx'
import { WatchStar } from '../parts/watch-star.tsx'

export const SORTS = [
  ['volume', columns.volume],
  ['sales', columns.sales],
  ['floor', columns.floor],
  ['listed', columns.listed],
  ['owners', columns.owners],
  ['name', columns.name],
  ['new', columns.newest],
] as const
type CollectionSort = (typeof SORTS)[number][0]

/** Columns from left to right. Narrow screens hide `wide` columns. */
const HEADS: readonly { label: string; sort?: CollectionSort; wide?: boolean }[] = [
  { label: columns.floor, sort: 'floor' },
  { label: columns.change },
  { label: columns.topOffer },
  { label: columns.volume, sort: 'volume' },
  { label: columns.sales, sort: 'sales' },
  { label: columns.listed, sort: 'listed' },
  { label: columns.owners, sort: 'owners' },
  { label: columns.lastSold, wide: true },
  { label: columns.line, wide: true },
]
const WIDE = 'max-lg:hidden'

interface Props {
  rows: readonly CollectionRow[]
  sort: CollectionSort
  onSort: (sort: CollectionSort) => void
}

export function CollectionTable({ rows, sort, onSort }: Props) {
  const shared = sharedNames(rows)
  // The slug distinguishes collections with the same name.
  const below = ({ name, itemCount, slug }: CollectionRow) =>
    shared.has(name.toLowerCase()) ? toldApart(itemCount, slug) : items(itemCount)
  return (
    <PriceColumn of={rows.map(({ floorSats }) => floorSats)}>
      <div className="panel hidden overflow-x-auto md:block">
        <table className="w-full">
          <thead className="text-left text-caption text-soft">
            <tr className="border-b border-line">
              <Head label={columns.collection} sort="name" now={sort} onSort={onSort} />
              {HEADS.map((head) => (
                <Head key={head.label} {...head} now={sort} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, n) => (
              <Line key={row.slug} row={row} place={n + 1} below={below(row)} />
            ))}
          </tbody>
        </table>
      </div>
      <ul className="panel divide-y divide-line md:hidden">
        {rows.map((row, n) => (
          <li key={row.slug} className="flex items-center gap-1 pr-3 pl-1">
            <WatchStar slug={row.slug} name={row.name} />
            <Position of={n + 1} />
            <CollectionLine
              row={row}
              below={
                shared.has(row.name.toLowerCase()) ? (
                  below(row)
                ) : row.volumeSats > 0 ? (
                  <Volume sats={row.volumeSats} />
                ) : (
                  words.listed(row.listedCount, row.itemCount)
                )
              }
            >
              <Sparkline values={row.floorLine} className="max-w-14" />
              <span className="text-right">
                {row.floorSats !== null && <Price sats={row.floorSats} className="block font-semibold" />}
                {row.floorChange !== null && <Change value={row.floorChange} />}
              </span>
            </CollectionLine>
          </li>
        ))}
      </ul>
    </PriceColumn>
  )
}

function Head({
  label,
  sort,
  wide = false,
  now,
  onSort,
}: {
  label: string
  sort?: CollectionSort
  wide?: boolean
  now: CollectionSort
  onSort: (sort: CollectionSort) => void
}) {
  const isFirst = sort === 'name'
  const place = `py-1 font-[560] whitespace-nowrap ${isFirst ? 'px-4' : 'px-3 text-right'} ${wide ? WIDE : ''}`
  if (!sort)
    return (
      <th scope="col" className={place}>
        {label}
      </th>
    )
  return (
    <th
      scope="col"
      aria-sort={sort !== now ? undefined : isFirst ? 'ascending' : 'descending'}
      className={place}
    >
      <button
        type="button"
        onClick={() => onSort(sort)}
        className={`min-h-8 hover:text-ink ${sort === now ? 'font-semibold text-ink' : ''}`}
      >
        {label}
        {sort === now && <span aria-hidden="true">{isFirst ? ' ↑' : ' ↓'}</span>}
      </button>
    </th>
  )
}

const Position = ({ of }: { of: number }) => (
  <span className="tabular w-6 shrink-0 text-center text-small text-soft">{of}</span>
)

const Volume = ({ sats }: { sats: number }) => (
  <>
    {columns.volume} <Price sats={sats} />
  </>
)

/** Row of the table. Cells without sales are blank. */
function Line({ row, place, below }: { row: CollectionRow; place: number; below: string }) {
  const cell = 'px-3 py-2 text-right tabular'
  return (
    <tr className="border-b border-line last:border-0 hover:bg-raised">
      <th scope="row" className="max-w-90 px-3 py-0.5 text-left font-normal">
        <span className="flex items-center gap-1">
          <WatchStar slug={row.slug} name={row.name} />
          <Position of={place} />
          <CollectionLine row={row} below={below} />
        </span>
      </th>
      <td className={`${cell} font-semibold`}>{row.floorSats !== null && <Price sats={row.floorSats} />}</td>
      <td className={cell}>{row.floorChange !== null && <Change value={row.floorChange} />}</td>
      <td className={cell}>{row.topOfferSats !== null && <Price sats={row.topOfferSats} />}</td>
      <td className={`${cell} font-semibold`}>{row.volumeSats > 0 && <Price sats={row.volumeSats} />}</td>
      <td className={cell}>{row.salesCount > 0 && count(row.salesCount)}</td>
      <td className={cell}>{((row.listedCount / Math.max(1, row.itemCount)) * 100).toFixed(1)}%</td>
      <td className={cell}>{count(row.ownerCount)}</td>
      <td className={`${cell} ${WIDE}`}>
        <span className="flex justify-end gap-1" aria-hidden="true">
          {row.lastSold.map(({ inscriptionId, contentType }) => (
            <span key={inscriptionId} className="w-8 overflow-hidden rounded-badge">
              <Media id={inscriptionId} contentType={contentType} name="" hint={row.imageRenderingHint} />
            </span>
          ))}
        </span>
      </td>
      <td className={`${cell} ${WIDE}`}>
        <Sparkline values={row.floorLine} className="ml-auto" />
      </td>
    </tr>
  )
}
