import { useRead } from '@ordbook/web-ui/api/client.ts'
import { useFreshness, useLive } from '@ordbook/web-ui/live/live.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { status as words } from '@ordbook/web-ui/strings/pages.ts'

export const DOTS = { live: 'bg-up', quiet: 'bg-edge', lost: 'bg-down' }

/** State of the market in one line. Stale data never shows as open. */
export function StatusLine() {
  const isConnected = useLive()
  const { silence, claim } = useFreshness()
  const { data } = useRead('getStatus', {}, { refetchInterval: isConnected ? 20_000 : 5000 })
  return (
    <Link to="/market" className="tabular flex items-center gap-2 hover:text-ink">
      <span
        aria-hidden="true"
        className={`size-2.5 shrink-0 rounded-full ${data?.trading === 'paused' ? 'bg-down' : DOTS[claim]}`}
      />
      {data ? textOf(data, claim, silence) : words.unknown}
    </Link>
  )
}

function textOf(
  {
    trading,
    indexHeight,
    lagBlocks,
  }: { trading: string; indexHeight: number | null; lagBlocks: number | null },
  claim: keyof typeof DOTS,
  silence: number,
): string {
  if (claim === 'lost') return words.lost(silence)
  return [
    trading === 'paused' ? words.paused : claim === 'live' ? words.open : null,
    words.block(indexHeight),
    lagBlocks ? words.behind(lagBlocks) : null,
    claim === 'live' ? words.live : words.updated(silence),
  ]
    .filter((each) => each !== null)
    .join(' · ')
}
