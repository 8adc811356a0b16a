import type { ReactNode } from 'react'
import { CheckIcon, CloseIcon } from './icons.tsx'

export interface Step {
  label: string
  state: 'waiting' | 'now' | 'done' | 'failed'
  /** Progress or time of the step, as text. */
  at?: string
  detail?: ReactNode
  action?: ReactNode
}

const MARKS = {
  waiting: 'border border-edge text-faint',
  now: 'border-2 border-accent text-accent',
  done: 'bg-up text-bg',
  failed: 'bg-down text-bg',
}

export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <ol className="grid">
      {steps.map(({ label, state, at, detail, action }, n) => (
        <li
          key={label}
          aria-current={state === 'now' ? 'step' : undefined}
          className="grid grid-cols-[24px_minmax(0,1fr)] gap-x-3 pb-4 last:pb-0"
        >
          <span className="relative grid justify-items-center">
            <span
              aria-hidden="true"
              className={`tabular z-10 grid size-6 place-items-center rounded-full text-caption font-semibold ${MARKS[state]}`}
            >
              {state === 'done' ? <CheckIcon /> : state === 'failed' ? <CloseIcon /> : n + 1}
            </span>
            {n < steps.length - 1 && (
              <span
                aria-hidden="true"
                className={`absolute top-6 -bottom-4 w-px ${state === 'done' ? 'bg-up' : 'bg-line'}`}
              />
            )}
          </span>
          <span className="grid gap-0.5 pt-0.5">
            <span
              className={state === 'waiting' ? 'text-soft' : state === 'failed' ? 'text-down' : 'font-medium'}
            >
              {label}
              <span className="sr-only">, {state}</span>
              {at && <span className="tabular ml-2 text-caption text-soft">{at}</span>}
            </span>
            {detail && <span className="text-caption text-soft">{detail}</span>}
            {action}
          </span>
        </li>
      ))}
    </ol>
  )
}
