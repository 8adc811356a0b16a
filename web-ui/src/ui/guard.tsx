import type { ReactNode } from 'react'
import { CloseIcon, InfoIcon, ShieldIcon, WarningIcon } from './icons.tsx'

const LEVELS = {
  good: { box: 'bg-up-bg', mark: 'text-up', Icon: ShieldIcon, word: 'Note' },
  note: { box: 'bg-info-bg', mark: 'text-info', Icon: InfoIcon, word: 'Note' },
  confirm: { box: 'bg-tint', mark: 'text-accent', Icon: WarningIcon, word: 'Confirm' },
  stop: { box: 'bg-down-bg', mark: 'text-down', Icon: CloseIcon, word: 'Stopped' },
}

/** Message about an action. `confirm` requires a second press, `stop` blocks. */
export function Guard({
  level,
  title,
  text,
  action,
}: {
  level: keyof typeof LEVELS
  title: string
  text: ReactNode
  action?: ReactNode
}) {
  const { box, mark, Icon, word } = LEVELS[level]
  return (
    <div
      role={level === 'stop' ? 'alert' : 'status'}
      data-guard={level}
      className={`grid grid-cols-[20px_minmax(0,1fr)] gap-x-2 rounded-button px-3 py-2.5 text-small ${box}`}
    >
      <Icon className={`mt-0.5 text-base ${mark}`} />
      <p>
        <span className="sr-only">{word}: </span>
        <span className="font-semibold">{title}</span> {text}
        {action && <span className="mt-1 block">{action}</span>}
      </p>
    </div>
  )
}
