import { useFreshness } from '@ordbook/web-ui/live/live.ts'
import { status as words } from '@ordbook/web-ui/strings/pages.ts'
import { useEffect } from 'react'

/** Banner while the market is unreachable. Also dims prices. */
export function Offline() {
  const { claim, silence } = useFreshness()
  const isLost = claim === 'lost'
  useEffect(() => {
    document.documentElement.toggleAttribute('data-offline', isLost)
  }, [isLost])
  if (!isLost) return null
  return (
    <p
      role="status"
      className="tabular sticky top-[var(--bar-height)] z-20 border-b border-line bg-tint px-4 py-2 text-center text-small"
    >
      {words.lost(silence)} {words.paused}.
    </p>
  )
}
