import type { Guard as Named, WayOut } from '../rules/guards.ts'
import { guardText, WAYS_OUT } from '../strings/trade.ts'
import { Guard } from '../ui/guard.tsx'

export function GuardList({
  guards,
  ways = {},
}: {
  guards: readonly Named[]
  ways?: Partial<Record<WayOut, (() => void) | undefined>>
}) {
  return (
    <div className="grid gap-2 empty:hidden">
      {guards.map((guard) => {
        const leave = guard.wayOut && ways[guard.wayOut]
        const action = leave && (
          <button type="button" className="min-h-6 underline" onClick={leave}>
            {WAYS_OUT[guard.wayOut!]}
          </button>
        )
        const { title, text } = guardText(guard)
        const level = guard.id === 'in-line' ? 'good' : guard.level
        return <Guard key={guard.id} level={level} title={title} text={text} action={action} />
      })}
    </div>
  )
}
