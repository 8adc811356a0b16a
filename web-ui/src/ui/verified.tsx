import { verification as words } from '../strings/pages.ts'
import { ShieldIcon, WarningIcon } from './icons.tsx'

export function Verified() {
  return (
    <span data-mark title={words.by} className="relative inline-flex shrink-0 align-[-0.15em] text-up">
      <ShieldIcon />
      <span className="sr-only">{words.verified}</span>
    </span>
  )
}

/** Verification mark, or a warning if the name resembles a verified collection. */
export function Verification({
  of,
  sameNameAs = null,
}: {
  of: 'verified' | 'unverified'
  /** Omitted if the API response does not include it. */
  sameNameAs?: { name: string } | null
}) {
  if (of === 'verified') return <Verified />
  if (sameNameAs)
    return (
      <span
        data-mark
        className="inline-flex shrink-0 items-center gap-1 rounded-badge bg-down-bg px-1.5 py-0.5 text-badge font-semibold text-down"
      >
        <WarningIcon />
        {words.notTheVerified}
      </span>
    )
  return (
    <span
      data-mark
      className="shrink-0 rounded-badge bg-raised px-1.5 py-0.5 text-badge font-semibold text-soft"
    >
      {words.unverified}
    </span>
  )
}
