import { count } from '../format/format.ts'
import { difference } from '../money/difference.ts'
import { exactBtc } from '../money/typed.ts'
import { plural } from '../strings/plural.ts'
import { CollectionName } from '../ui/collection-name.tsx'
import { Media } from '../ui/media/media.tsx'
import type { ListingRow } from './model.ts'
import { review as words } from './texts.ts'

const HEAD = 'px-3 py-2 text-right font-normal whitespace-nowrap'
const CELL = 'tabular px-3 py-1 text-right'
/** Only on wide screens. */
const WIDE = 'max-md:hidden'

/** Listings by collection, with their payouts. */
export function ListingRows({ rows, hasRoyalty }: { rows: readonly ListingRow[]; hasRoyalty: boolean }) {
  const groups = [...Map.groupBy(rows, ({ item }) => item.collection?.collectionName ?? '')]
  return (
    <table className="w-full border-collapse text-small">
      <thead className="text-caption text-soft">
        <tr className="border-b border-line">
          <th scope="col" className={`${HEAD} !text-left`}>
            {words.listing.item}
          </th>
          <th scope="col" className={`${HEAD} ${WIDE}`}>
            {words.listing.floor}
          </th>
          <th scope="col" className={HEAD}>
            {words.listing.price}
          </th>
          <th scope="col" className={`${HEAD} ${WIDE}`}>
            {words.listing.versus}
          </th>
          <th scope="col" className={`${HEAD} ${WIDE}`}>
            {words.listing.fees(hasRoyalty)}
          </th>
          <th scope="col" className={HEAD}>
            {words.listing.receive}
          </th>
        </tr>
      </thead>
      {groups.map(([name, all]) => (
        <tbody key={name}>
          <tr className="border-b border-line bg-raised">
            <th scope="rowgroup" colSpan={6} className="px-3 py-2 text-left">
              <span className="flex min-w-0 items-center gap-1.5">
                {all[0]!.item.collection && <CollectionName of={all[0]!.item.collection} />}
                <span className="shrink-0 font-normal text-soft">
                  {plural(all.length, { one: '# item', other: '# items' })}
                </span>
              </span>
            </th>
          </tr>
          {all.map((row) => (
            <Row key={row.item.inscriptionId} {...row} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

function Row({ item, priceSats, floorSats, receiveSats }: ListingRow) {
  const feesSats = priceSats - receiveSats
  return (
    <tr className="border-b border-line">
      <th scope="row" className="w-full max-w-0 py-1 pl-3 text-left font-semibold">
        <span className="flex min-w-0 items-center gap-3">
          <span className="w-8 shrink-0 overflow-hidden rounded-control">
            <Media id={item.inscriptionId} contentType={item.contentType} name="" />
          </span>
          <span dir="auto" className="[overflow-wrap:anywhere]">
            {item.name}
          </span>
        </span>
      </th>
      <td className={`${CELL} ${WIDE} text-soft`}>{floorSats !== null && exactBtc(floorSats)}</td>
      <td className={`${CELL} font-semibold`}>{exactBtc(priceSats)}</td>
      <td className={`${CELL} ${WIDE} text-soft`}>
        {floorSats !== null && difference(priceSats, floorSats)}
      </td>
      <td className={`${CELL} ${WIDE} text-soft`} title={`${count(feesSats)} sats`}>
        −{exactBtc(feesSats)}
      </td>
      <td className={`${CELL} font-semibold`}>{exactBtc(receiveSats)}</td>
    </tr>
  )
}
