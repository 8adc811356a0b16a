const BAR = 'pulse rounded-control bg-raised'

/** Placeholder of loading content: rows of 60 px, or one item card. */
export function Skeleton({ rows, card }: { rows?: number; card?: boolean }) {
  if (card)
    return (
      <div aria-hidden="true" className="min-w-0 overflow-hidden rounded-card border border-line bg-surface">
        <div className="pulse aspect-square bg-raised" />
        <div className="grid h-[109px] content-start gap-2 p-3">
          <div className={`${BAR} h-4 w-3/5`} />
          <div className={`${BAR} h-5 w-2/5`} />
          <div className={`${BAR} h-4 w-1/2`} />
        </div>
      </div>
    )
  return (
    <div aria-hidden="true" className="grid gap-2">
      {Array.from({ length: rows ?? 3 }, (_, n) => n).map((n) => (
        <div key={n} className={`${BAR} h-[52px]`} />
      ))}
    </div>
  )
}
