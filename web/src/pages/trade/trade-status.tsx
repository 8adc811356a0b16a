import { StepBar } from '@ordbook/web-ui/review/step-bar.tsx'
import { inbox } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { Time } from '@ordbook/web-ui/ui/basics.tsx'
import type { ReactNode } from 'react'
import { TONES } from '../parts/turn-line.tsx'
import type { TradeTurn } from './trade-turn.ts'

/** Fixed above the bottom bar on phones. */
const ACTIONS =
  'flex flex-wrap items-center justify-end gap-2 empty:hidden max-sm:panel max-sm:fixed max-sm:inset-x-3 max-sm:bottom-[calc(var(--tabs-height)+8px)] max-sm:z-20 max-sm:p-2 max-sm:shadow-floating'

/** Whose turn it is, the next step with its button, and all steps. */
export function TradeStatus({
  turn: { tone, title, text, until, steps },
  children,
}: {
  turn: TradeTurn
  /** Buttons. */
  children?: ReactNode
}) {
  const { Icon, look } = TONES[tone]
  return (
    <section aria-label={title} data-turn={tone} className="panel overflow-hidden">
      <div className={`flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3 sm:px-5 ${look}`}>
        <Icon className="shrink-0 text-xl" />
        <div role="status" className="min-w-0 flex-1 basis-60">
          <p className="text-h3 [overflow-wrap:anywhere]">{title}</p>
          <p className="text-small text-ink [overflow-wrap:anywhere]">
            {text}
            {until && (
              <>
                {' '}
                <span className="text-soft">
                  {inbox.ends} <Time at={until} until />.
                </span>
              </>
            )}
          </p>
        </div>
        <div className={ACTIONS}>{children}</div>
      </div>
      {steps.length > 0 && (
        <div className="relative px-4 py-3.5 sm:px-5">
          <StepBar steps={steps} />
        </div>
      )}
    </section>
  )
}
