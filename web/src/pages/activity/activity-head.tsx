import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { Price } from '@ordbook/web-ui/ui/basics.tsx'
import { activity as words } from './strings.ts'

/** Sales of the last 24 hours, with a bar per hour. */
export function ActivityHead() {
  const { data } = useRead('getActivitySummary', {}, { refetchInterval: 60_000 })
  const most = Math.max(1, ...(data?.hours ?? []))
  return (
    <div className="flex min-h-11 flex-wrap items-end gap-x-7 gap-y-2 max-sm:min-h-20 max-sm:w-full">
      {data && (
        <>
          <dl className="flex gap-x-7 gap-y-2 max-sm:grid max-sm:w-full max-sm:grid-cols-2">
            <Figure label={words.volumeDay}>
              <Price sats={data.volumeSats} />
            </Figure>
            <Figure label={words.salesDay}>{count(data.sales)}</Figure>
            <Figure label={words.buyers}>{count(data.buyers)}</Figure>
            <Figure label={words.largest}>
              <Price sats={data.largestSats} />
            </Figure>
          </dl>
          <div role="img" aria-label={words.byHour} className="flex h-10 items-end gap-0.5 max-sm:hidden">
            {data.hours.map((sats, hour) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: bars are identified by their hour
                key={hour}
                className={`w-1.5 rounded-t-sm ${hour === data.hours.length - 1 ? 'bg-amber' : 'bg-edge'}`}
                style={{ height: `${Math.max(4, (sats / most) * 100)}%` }}
              />
            ))}
          </div>
        </>
      )}
    </div>
  )
}

function Figure({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-caption text-soft">{label}</dt>
      <dd className="tabular font-semibold">{children}</dd>
    </div>
  )
}
