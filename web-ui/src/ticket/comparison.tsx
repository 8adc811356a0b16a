import { difference } from '../money/difference.ts'
import { ticket } from '../strings/trade.ts'
import { Price } from '../ui/basics.tsx'

/** `sats` is null if there is no price yet. */
export interface Reference {
  label: string
  sats: number | null
  /** What the price is of, such as the trait or the kind of bid. */
  of?: string | undefined
}

export function Comparison({ sats, of }: { sats: number | null; of: readonly Reference[] }) {
  return (
    // Reserves the height to avoid a layout shift.
    <dl
      aria-label={ticket.comparison}
      className="grid min-h-13 grid-cols-2 content-start gap-x-4 gap-y-2 sm:grid-cols-[repeat(auto-fit,minmax(6rem,1fr))]"
    >
      {of.map(({ label, sats: against, of: detail }) => (
        <div key={label}>
          <dt className="text-caption text-faint">{label}</dt>
          <dd className="tabular">
            {against === null ? (
              <span className="text-soft">{ticket.noneYet}</span>
            ) : (
              <>
                <Price sats={against} className="font-[560]" />
                {sats !== null && (
                  <span className="block text-caption text-soft">{difference(sats, against)}</span>
                )}
                {detail && (
                  <span dir="auto" className="block truncate text-caption text-soft">
                    {detail}
                  </span>
                )}
              </>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
