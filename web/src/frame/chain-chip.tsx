import { useRead } from '@ordbook/web-ui/api/client.ts'
import { count } from '@ordbook/web-ui/format/format.ts'
import { useFreshness } from '@ordbook/web-ui/live/live.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { status as words } from '@ordbook/web-ui/strings/pages.ts'
import { DOTS } from './status-line.tsx'

/** Block height and fee rate, in wide headers. Not in the Tab order, because the footer has the same link. */
export function ChainChip() {
  const { claim } = useFreshness()
  const { data } = useRead('getStatus', {})
  if (!data || data.indexHeight === null) return null
  const { indexHeight, feeRateSatVb, trading } = data
  return (
    <Link
      to="/market"
      tabIndex={-1}
      className="tabular hidden min-h-10 shrink-0 items-center gap-2 rounded-button border border-line px-3 text-small font-[560] hover:border-edge min-[1400px]:flex"
    >
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${trading === 'paused' ? 'bg-down' : DOTS[claim]}`}
      />
      <span>
        <span className="sr-only">{words.height} </span>
        {count(indexHeight)}
      </span>
      {feeRateSatVb !== null && (
        <span className="text-soft">
          <span className="sr-only">{words.fees} </span>
          {words.feeRate(feeRateSatVb)}
        </span>
      )}
    </Link>
  )
}
