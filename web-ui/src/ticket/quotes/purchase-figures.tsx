import type { Answer } from '@ordbook/sdk/operations.ts'
import { usePages } from '../../api/client.ts'
import { difference } from '../../money/difference.ts'
import { sweep as words } from '../../strings/collection.ts'
import { Price } from '../../ui/basics.tsx'

/** Over-fetch, because live events can remove some of the rows. */
const SPARE_ROWS = 20

/** Average and highest price of a purchase, and the floor after it. */
export function PurchaseFigures({
  slug,
  lines,
  quote: { bill, collection },
}: {
  slug: string
  lines: readonly { inscriptionId: string; priceSats: number }[]
  quote: Pick<Answer<'quotePurchase'>, 'bill' | 'collection'>
}) {
  const ids = new Set(lines.map((line) => line.inscriptionId))
  const listed = usePages('browseItems', {
    params: { slug },
    query: { sort: 'price', listed: true, limit: lines.length + SPARE_ROWS },
  })
  const sumSats = bill.find((row) => row.kind === 'price')?.sats ?? 0
  const next = listed.data?.pages[0]?.items.find((item) => !ids.has(item.inscriptionId) && item.priceSats)
  const afterSats = next?.priceSats ?? null
  const { floorSats } = collection
  return (
    <dl className="grid grid-cols-3 gap-3 border-y border-line py-3">
      <Figure label={words.average} sats={Math.round(sumSats / lines.length)} />
      <Figure label={words.highest} sats={Math.max(...lines.map((line) => line.priceSats))} />
      <div className="min-w-0">
        <dt className="text-caption text-soft">{words.floorAfter}</dt>
        <dd className="tabular text-small font-semibold">
          {afterSats !== null && (
            <>
              <Price sats={afterSats} />{' '}
              {floorSats !== null && (
                <span className="text-caption text-accent">{difference(afterSats, floorSats)}</span>
              )}
            </>
          )}
          {listed.data && afterSats === null && words.soldOut}
        </dd>
      </div>
    </dl>
  )
}

const Figure = ({ label, sats }: { label: string; sats: number }) => (
  <div className="min-w-0">
    <dt className="text-caption text-soft">{label}</dt>
    <dd className="tabular text-small font-semibold">
      <Price sats={sats} />
    </dd>
  </div>
)
