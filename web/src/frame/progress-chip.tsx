import { usePath } from '@ordbook/web-ui/routing/routing.tsx'
import { stored } from '@ordbook/web-ui/state/stored.ts'
import { progress as words } from '@ordbook/web-ui/strings/progress.ts'
import { type Flow, isAbout } from '@ordbook/web-ui/ticket/progress/flow.ts'
import { leave, shownHere, useFlows } from '@ordbook/web-ui/ticket/progress/flows.ts'
import { Button } from '@ordbook/web-ui/ui/basics.tsx'
import { CheckIcon, CloseIcon, InfoIcon, WalletIcon, WarningIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { onDemand } from '@ordbook/web-ui/ui/on-demand.tsx'
import { useEffect, useId, useRef } from 'react'
import { HeaderPanel } from './header-panel.tsx'

const ProgressPanel = onDemand(() => import('./progress-panel.tsx').then((part) => part.ProgressPanel))

/** Time that an action stays after it was done or cancelled, in milliseconds. */
const LEAVES_AFTER = 8000

/** The first state that an action has decides the look of the chip. */
const LOOKS = {
  wallet: { look: 'bg-tint text-accent border-accent', icon: <WalletIcon /> },
  done: { look: 'text-ink border-line', icon: <CheckIcon className="text-up" /> },
  cancelled: { look: 'text-soft border-line', icon: <InfoIcon /> },
  failed: { look: 'bg-down-bg text-down border-down', icon: <WarningIcon /> },
  working: {
    look: 'text-ink border-line',
    icon: (
      <span
        className="size-4 shrink-0 animate-spin rounded-full border-2 border-line border-t-accent"
        aria-hidden="true"
      />
    ),
  },
} satisfies Record<Flow['state'], unknown>
const PRECEDENCE = Object.keys(LOOKS) as Flow['state'][]

/** Actions in progress: a chip in the header, on phones a strip above the bottom bar. It opens the list. */
export function ProgressChip() {
  const all = useFlows()
  const isShown = shownHere.use()
  const flows = all.filter(({ key }) => !isShown.has(key))
  useLeaving(flows)
  const path = usePath()
  const id = useId()
  const state = PRECEDENCE.find((each) => flows.some((flow) => flow.state === each))
  const which = flows.filter((flow) => flow.state === state)
  const [first] = which
  const text = state && first ? textOf(state, which) : ''
  // The page of the item shows its timeline.
  const isOwnPage = path.startsWith('/inscription/') && flows.every((flow) => isAbout(path.slice(13), flow))
  return (
    <>
      <span role="status" className="sr-only">
        {text}
      </span>
      {state && first && (
        <div
          data-progress-strip={isOwnPage ? undefined : ''}
          data-tone={state === 'failed' ? 'bad' : state === 'cancelled' ? 'note' : undefined}
          className={`flex min-w-0 items-center border bg-raised text-small font-[560] max-lg:fixed max-lg:inset-x-0 max-lg:bottom-[var(--page-bar)] max-lg:h-11 max-lg:border-x-0 lg:max-w-48 lg:rounded-button xl:max-w-80 ${LOOKS[state].look} ${isOwnPage ? 'max-lg:hidden' : ''}`}
        >
          <button
            type="button"
            popoverTarget={id}
            data-progress
            className="flex min-h-10 min-w-0 flex-1 items-center gap-2 px-3 text-left"
          >
            {LOOKS[state].icon}
            <span className="truncate">{text}</span>
          </button>
          {(state === 'failed' || state === 'cancelled') && (
            <Button
              kind="ghost"
              className="size-10 shrink-0 !px-0"
              aria-label={words.dismiss}
              onClick={() => leave(first)}
            >
              <CloseIcon />
            </Button>
          )}
        </div>
      )}
      <HeaderPanel
        id={id}
        label={words.inProgress}
        className="max-lg:bottom-[calc(var(--tabs-height)+8px)] lg:top-[calc(var(--bar-height)+8px)]"
      >
        {(close) => <ProgressPanel flows={all} onOpen={close} />}
      </HeaderPanel>
    </>
  )
}

function textOf(state: Flow['state'], flows: readonly Flow[]): string {
  const [{ title, text }] = flows as [Flow]
  if (state === 'wallet') return words.needYou(flows.length)
  if (state === 'working') return words.working(flows.length)
  if (flows.length > 1 && state === 'failed') return words.failedCount(flows.length)
  if (state === 'failed') return `${words.failed} ${text}`
  return state === 'done' ? title : text
}

/** Removes actions that are done or cancelled, 8 seconds later. Failed ones stay until they are dismissed. */
function useLeaving(flows: readonly Flow[]): void {
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>())
  const latest = useRef(flows)
  latest.current = flows
  const ended = flows.filter(({ state }) => state === 'done' || state === 'cancelled').map(({ key }) => key)
  const names = ended.join('\n')
  useEffect(() => {
    const keys = names.split('\n').filter((each) => each !== '')
    for (const [key, timer] of timers.current) {
      if (keys.includes(key)) continue
      clearTimeout(timer)
      timers.current.delete(key)
    }
    // A stored setting keeps messages until they are dismissed.
    if (stored('messages') === 'stay') return
    for (const key of keys) {
      if (timers.current.has(key)) continue
      const timer = setTimeout(() => {
        timers.current.delete(key)
        const flow = latest.current.find((each) => each.key === key)
        if (flow && (flow.state === 'done' || flow.state === 'cancelled')) leave(flow)
      }, LEAVES_AFTER)
      timers.current.set(key, timer)
    }
  }, [names])
}
