import { usePages } from '@ordbook/web-ui/api/client.ts'
import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { Button, Empty } from '@ordbook/web-ui/ui/basics.tsx'
import { LoadedList } from '@ordbook/web-ui/ui/loaded-list.tsx'
import { PriceColumn } from '@ordbook/web-ui/ui/price-column.tsx'
import { ActivityRow, type Event } from './activity-row.tsx'
import { activity as words } from './strings.ts'
import { useHeldRows } from './use-held-rows.ts'

export type EventKind = 'sales' | 'listings' | 'offers' | 'trades' | 'transfers'

interface About {
  slug?: string
  slugs?: string
  minSats?: number
  inscriptionId?: string
  address?: string
  kind?: EventKind | undefined
}

const keyOf = (row: Event) => `${row.kind} ${row.at} ${row.inscriptionId} ${row.txid}`

/** Activity, newest first. Pausing holds back new events. */
export function ActivityList({
  about,
  none = words.none,
  isPaused = false,
}: {
  about: About
  none?: string
  isPaused?: boolean
}) {
  const { kind, ...rest } = about
  const query = kind ? { ...rest, kind } : rest
  const found = usePages('listActivity', { query })
  // The key resets held rows when the query changes.
  const list = JSON.stringify(query)
  const isOfOneItem = about.inscriptionId !== undefined
  return (
    <LoadedList of={found} rows={(page) => page.activity} empty={<Empty title={none} />}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty title={words.noneHere} />
        ) : (
          <HeldRows key={list} rows={rows} isPaused={isPaused} isOfOneItem={isOfOneItem} />
        )
      }
    </LoadedList>
  )
}

/** Holds back new rows while the top of the list is out of view. */
function HeldRows({
  rows,
  isPaused,
  isOfOneItem,
}: {
  rows: readonly Event[]
  isPaused: boolean
  isOfOneItem: boolean
}) {
  const { shown, waiting, top, show, reading } = useHeldRows(rows, keyOf, isPaused)
  return (
    <div>
      <div ref={top} className="h-px" />
      {waiting > 0 && (
        <div className="sticky top-[calc(var(--bar-height)+8px)] z-10 grid h-0 justify-items-center">
          <Button kind="main" className="h-10 shadow-lg" onClick={show}>
            {words.waiting(waiting)}
          </Button>
        </div>
      )}
      <div {...reading}>
        <Rows rows={shown} isOfOneItem={isOfOneItem} />
      </div>
    </div>
  )
}

/** Rows of one item do not repeat its picture, name and rank, and show fewer figures. */
function Rows({ rows, isOfOneItem }: { rows: readonly Event[]; isOfOneItem: boolean }) {
  const { fiat } = useSettings()
  const head = 'px-3 py-1 font-[560] whitespace-nowrap'
  return (
    <div className="panel overflow-x-auto">
      <table className="w-full text-small">
        <thead className="text-left text-caption text-soft max-md:sr-only">
          <tr className="border-b border-line">
            <th scope="col" className={head}>
              {words.event}
            </th>
            {!isOfOneItem && (
              <th scope="col" className={head}>
                {words.item}
              </th>
            )}
            <th scope="col" className={`${head} text-right`}>
              {words.price}
            </th>
            {fiat && !isOfOneItem && (
              <th scope="col" className={`${head} text-right max-lg:hidden`}>
                {fiat.currency}
              </th>
            )}
            {!isOfOneItem && (
              <th scope="col" className={`${head} text-right max-md:hidden`}>
                {words.againstFloor}
              </th>
            )}
            <th scope="col" className={`${head} max-lg:hidden`}>
              {words.from}
            </th>
            <th scope="col" className={`${head} max-lg:hidden`}>
              {words.to}
            </th>
            {!isOfOneItem && (
              <th scope="col" className={`${head} text-right max-lg:hidden`}>
                {words.rank}
              </th>
            )}
            <th scope="col" className={`${head} text-right max-md:hidden`}>
              {words.time}
            </th>
            <th scope="col" className={`${head} text-right max-md:hidden`}>
              {words.receipt}
            </th>
          </tr>
        </thead>
        <PriceColumn of={rows.map(({ priceSats }) => priceSats)}>
          <tbody>
            {rows.map((row) => (
              <ActivityRow key={keyOf(row)} row={row} isOfOneItem={isOfOneItem} />
            ))}
          </tbody>
        </PriceColumn>
      </table>
    </div>
  )
}
