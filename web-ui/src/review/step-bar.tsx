import type { ShownStep } from '../ticket/progress/steps.ts'

const BARS = { waiting: 'bg-line', now: 'bg-accent', done: 'bg-up', failed: 'bg-down' }

/** Steps of a trade in a row. On phones, only the current step has visible text. */
export function StepBar({ steps }: { steps: readonly ShownStep[] }) {
  return (
    <ol className="grid auto-cols-fr grid-flow-col gap-2 max-md:pb-6">
      {steps.map(({ label, state, at, detail }, n) => (
        <li key={label} aria-current={state === 'now' ? 'step' : undefined} className="min-w-0">
          <span aria-hidden="true" className={`block h-1 rounded-full ${BARS[state]}`} />
          <span
            className={state === 'now' ? 'max-md:absolute max-md:left-4 max-md:mt-1.5' : 'max-md:sr-only'}
          >
            <span
              className={`mt-2 block text-small max-md:mt-0 ${state === 'waiting' ? 'text-soft' : 'font-semibold'}`}
            >
              <span className="tabular">{n + 1}</span> {label}
              <span className="sr-only">, {state}</span>
              {at && <span className="tabular ml-2 text-caption font-normal text-soft">{at}</span>}
            </span>
            {detail && <span className="block text-caption text-soft max-md:sr-only">{detail}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}
