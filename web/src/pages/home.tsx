import type { Answer } from '@ordbook/sdk/operations.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { usePages, useRead } from '../client.ts'
import { count } from '../format.ts'
import { Change, Empty, Price, Select, Time } from '../ui/basics.tsx'
import { ShieldIcon } from '../ui/icons.tsx'
import { LoadedList } from '../ui/loaded-list.tsx'
import { CollectionPicture } from './collection-picture.tsx'
import { InscriptionLink } from './links.tsx'

type Row = Answer<'browseCollections'>['collections'][number]
const SORTS = [
  ['volume', 'Volume, 7 days'],
  ['floor', 'Floor'],
  ['listed', 'Listed'],
  ['owners', 'Owners'],
  ['name', 'Name'],
] as const

/** The first page: collections and the latest trades. */
export function Home() {
  const search = useSearch({ from: '/' })
  const navigate = useNavigate({ from: '/' })
  const [sort] = SORTS.find(([id]) => id === search.sort) ?? SORTS[0]
  const found = usePages('browseCollections', { query: { sort } })
  return (
    <div className="grid gap-8">
      <section className="grid items-end gap-6 lg:grid-cols-[1fr_22rem]">
        <div>
          <h1 className="text-display">Trade Bitcoin ordinals. Your keys, always.</h1>
          <p className="mt-2 max-w-prose text-soft">See exactly what you sign, before you sign it.</p>
        </div>
        <LatestSales />
      </section>
      <section>
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <h2 className="text-xl font-semibold">Collections</h2>
          <label className="flex items-center gap-2 text-sm text-soft">
            Sort by
            <Select
              inline
              options={SORTS}
              value={sort}
              onChange={(next) => void navigate({ search: { sort: next }, replace: true })}
            />
          </label>
        </div>
        <LoadedList
          of={found}
          rows={(page) => page.collections}
          what="Loading the collections"
          empty={
            <Empty title="No collections yet">
              An operator brings them in: <code>npm run import</code>.
            </Empty>
          }
        >
          {(rows) => <CollectionTable rows={rows} />}
        </LoadedList>
      </section>
    </div>
  )
}

function LatestSales() {
  const sales = useRead('listSales', { query: { limit: 3 } })
  if (!sales.data || sales.data.sales.length === 0) return null
  return (
    <aside aria-label="Latest sales" className="panel p-3">
      <ul className="grid gap-1.5 text-sm">
        {sales.data.sales.map((sale) => (
          <li key={sale.saleId} className="flex items-center justify-between gap-3">
            <InscriptionLink
              id={sale.inscriptionId}
              name={sale.inscriptionName}
              className="truncate hover:underline"
            />
            <span className="flex shrink-0 gap-3">
              <Price sats={sale.priceSats} />
              <span className="text-soft">
                <Time at={sale.soldAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </aside>
  )
}

export function Verified() {
  return (
    <span title="verified by the operator" className="inline-flex align-[-0.15em] text-good">
      <ShieldIcon />
      <span className="sr-only">verified</span>
    </span>
  )
}

/** The collections: a table where there is room for it, else a list. */
function CollectionTable({ rows }: { rows: readonly Row[] }) {
  return (
    <>
      <div className="panel hidden overflow-x-auto md:block">
        <table className="w-full text-sm">
          <thead className="text-left text-soft">
            <tr className="border-b border-line">
              <th scope="col" className="px-4 py-2.5 font-medium">
                Collection
              </th>
              {['Floor', '24 h', '7 d', 'Volume 24 h', 'Volume 7 d', 'Listed', 'Owners', 'Items'].map(
                (name) => (
                  <th key={name} scope="col" className="px-3 py-2.5 text-right font-medium whitespace-nowrap">
                    {name}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <CollectionLine key={row.slug} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      <ul className="grid gap-2 md:hidden">
        {rows.map((row) => (
          <li key={row.slug}>
            <Link
              to="/collection/$slug"
              params={{ slug: row.slug }}
              className="panel flex items-center gap-3 p-2.5"
            >
              <span className="w-14 shrink-0 overflow-hidden rounded-lg">
                <CollectionPicture of={row} />
              </span>
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">
                  {row.name} {row.verificationStatus === 'verified' && <Verified />}
                </span>
                <span className="text-sm text-soft">
                  {count(row.listedCount)} of {count(row.itemCount)} listed
                </span>
              </span>
              <span className="text-right text-sm">
                <Price sats={row.floorSats} className="block font-medium" />
                <Change value={row.oneDayChange} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function CollectionLine({ row }: { row: Row }) {
  const cell = 'px-3 py-2.5 text-right tabular'
  return (
    <tr className="border-b border-line last:border-0 hover:bg-sunk">
      <th scope="row" className="px-4 py-2 text-left font-medium">
        <Link to="/collection/$slug" params={{ slug: row.slug }} className="flex items-center gap-3">
          <span className="w-11 shrink-0 overflow-hidden rounded-lg">
            <CollectionPicture of={row} />
          </span>
          <span>
            {row.name} {row.verificationStatus === 'verified' && <Verified />}
          </span>
        </Link>
      </th>
      <td className={cell}>
        <Price sats={row.floorSats} />
      </td>
      <td className={cell}>
        <Change value={row.oneDayChange} />
      </td>
      <td className={cell}>
        <Change value={row.sevenDayChange} />
      </td>
      <td className={cell}>
        <Price sats={row.volumeDaySats} />
      </td>
      <td className={cell}>
        <Price sats={row.volumeWeekSats} />
      </td>
      <td className={cell}>{count(row.listedCount)}</td>
      <td className={cell}>{count(row.ownerCount)}</td>
      <td className={cell}>{count(row.itemCount)}</td>
    </tr>
  )
}
