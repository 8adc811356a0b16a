import type { ReactNode } from 'react'

const TONES = { plain: 'text-soft', turn: 'text-accent', own: 'text-up' }

/** Last line of a card: its status. Rendered in every state, so that all cards of a grid have the same height. */
export const StatusStrip = ({
  tone = 'plain',
  children,
}: {
  tone?: keyof typeof TONES
  children?: ReactNode
}) => (
  <span
    data-status
    className={`flex h-7 items-center gap-1.5 overflow-hidden border-t border-line px-3 text-caption whitespace-nowrap ${TONES[tone]}`}
  >
    {children}
  </span>
)
