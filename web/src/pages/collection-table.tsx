import type { Answer } from '@ordbook/sdk/operations.ts'
import { count } from '../format.ts'
import { Link } from '../routing/routing.tsx'
import { Change, Price } from '../ui/basics.tsx'
import { Verification } from '../ui/verified.tsx'
import { columns, home as words } from '../words/home.ts'
import { CollectionPicture } from './collection-picture.tsx'

export type CollectionRow = Answer<'browseCollections'>['collections'][number]

export const SORTS = [
  ['volume', columns.volumeWeek],
  ['floor', columns.floor],
  ['listed', columns.listed],
  ['owners', columns.owners],
  ['name', columns.name],
] as const
type Sort = (typeof SORTS)[number][0]

/** Columns from left to right; those with a sort can be pressed. */
const HEADS: readonly { label: string; sort?: Sort }[] = [
  { label: columns.floor, sort: 'floor' },
  { label: columns.day },
  { label: columns.week },
  { label: columns.volumeDay },
  { label: columns.volumeWeek, sort: 'volume' },
  { label: columns.sales },
  { label: columns.listed, sort: 'listed' },
  { label: columns.owners, sort: 'owners' },
  { label: columns.items },
]

interface Props {
  rows: readonly CollectionRow[]
  sort: Sort
  onSort: (sort: Sort) => void
}

/** The collections: a table where there is room for it, else a list. */
export function CollectionTable({ rows, sort, onSort }: Props) {
  return (
    <>
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
            {rows.map((row) => (
              <Line key={row.slug} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <ul className="panel divide-y divide-line md:hidden">
        {rows.map((row) => (
          <li key={row.slug}>
            <Link
              to="/collection/$slug"
              params={{ slug: row.slug }}
              className="flex items-center gap-3 px-3 py-2.5"
            >
              <span className="w-11 shrink-0 overflow-hidden rounded-control">
                <CollectionPicture of={row} />
              </span>
              <span className="min-w-0 flex-1">
                <span dir="auto" className="block truncate font-[560]">
                  {row.name} <Verification of={row.verificationStatus} sameNameAs={row.sameNameAs} />
                </span>
                <span className="block truncate text-caption text-soft">
                  {words.listed(row.listedCount, row.itemCount)}
                </span>
              </span>
              <span className="text-right">
                {row.floorSats !== null && <Price sats={row.floorSats} className="block font-semibold" />}
                {row.oneDayChange !== null && <Change value={row.oneDayChange} />}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function Head({
  label,
  sort,
  now,
  onSort,
}: {
  label: string
  sort?: Sort
  now: Sort
  onSort: (sort: Sort) => void
}) {
  const isFirst = sort === 'name'
  const place = `py-1 font-[560] whitespace-nowrap ${isFirst ? 'px-4' : 'px-3 text-right'}`
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

/** A window without sales leaves its cells blank. */
function Line({ row }: { row: CollectionRow }) {
  const cell = 'px-3 py-2 text-right tabular'
  return (
    <tr className="border-b border-line last:border-0 hover:bg-raised">
      <th scope="row" className="max-w-90 px-4 py-2 text-left font-[560]">
        <Link to="/collection/$slug" params={{ slug: row.slug }} className="flex items-center gap-3">
          <span className="w-10.5 shrink-0 overflow-hidden rounded-control">
            <CollectionPicture of={row} />
          </span>
          <span dir="auto" className="min-w-0 truncate">
            {row.name}
          </span>
          <Verification of={row.verificationStatus} sameNameAs={row.sameNameAs} />
        </Link>
      </th>
      <td className={`${cell} font-semibold`}>{row.floorSats !== null && <Price sats={row.floorSats} />}</td>
      <td className={cell}>{row.oneDayChange !== null && <Change value={row.oneDayChange} />}</td>
      <td className={cell}>{row.sevenDayChange !== null && <Change value={row.sevenDayChange} />}</td>
      <td className={cell}>{row.volumeDaySats > 0 && <Price sats={row.volumeDaySats} />}</td>
      <td className={cell}>{row.volumeWeekSats > 0 && <Price sats={row.volumeWeekSats} />}</td>
      <td className={cell}>{row.salesDayCount > 0 && count(row.salesDayCount)}</td>
      <td className={cell}>{count(row.listedCount)}</td>
      <td className={cell}>{count(row.ownerCount)}</td>
      <td className={cell}>{count(row.itemCount)}</td>
    </tr>
  )
}
