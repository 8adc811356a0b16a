import { inbox } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { Time } from '@ordbook/web-ui/ui/basics.tsx'
import { CheckIcon, ClockIcon, OfferIcon, WarningIcon } from '@ordbook/web-ui/ui/icons.tsx'
import type { ReactNode } from 'react'

export const TONES = {
  turn: { Icon: OfferIcon, look: 'bg-tint text-accent' },
  waiting: { Icon: ClockIcon, look: 'bg-info-bg text-info' },
  nothing: { Icon: ClockIcon, look: 'bg-raised text-soft' },
  done: { Icon: CheckIcon, look: 'bg-up-bg text-up' },
  stuck: { Icon: WarningIcon, look: 'bg-down-bg text-down' },
}
export type Tone = keyof typeof TONES

/** Status line: whose turn it is, and the deadline. The text has the meaning, the colour repeats it. */
export function TurnLine({
  tone,
  children,
  until,
  note,
}: {
  tone: Tone
  children: ReactNode
  until?: string | null
  note?: string | undefined
}) {
  const { Icon, look } = TONES[tone]
  return (
    <p
      data-turn={tone}
      className={`flex min-h-10 items-center gap-2.5 rounded-control px-4 py-2 text-small font-semibold ${look}`}
    >
      <Icon className="shrink-0 text-lg" />
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{children}</span>
      {until ? (
        <span className="shrink-0 text-caption font-normal text-soft">
          {inbox.ends} <Time at={until} until />
        </span>
      ) : (
        note && <span className="shrink-0 text-caption font-normal text-soft">{note}</span>
      )}
    </p>
  )
}
