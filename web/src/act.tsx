import { BadSignature, WalletDeclined, WalletRefused } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { errorText } from './error-text.ts'
import { useSession } from './session.tsx'
import { useSettings } from './settings.tsx'
import type * as Trades from './signing/trades.ts'
import { ticketActions, useRunning, useTicket } from './ticket/tickets.ts'
import { dismiss, notify } from './ui/toast-list.ts'

/** One action of the visitor with their wallet. Returns the notice to show when it is done; none where it says enough itself. */
type Work = (trades: typeof Trades, trading: Trades.Trading) => Promise<string | undefined>

interface Act {
  /** The name of the running action on this subject; null while none runs. Other subjects stay usable. */
  busy: string | null
  /**
   * Runs an action; false where it failed. The page shows `what` while it runs and the text of `work` when it is done. A visitor
   * first connects, and the action goes on by itself. A failure is shown in the subject's open ticket, or as a message without one.
   */
  run(what: string, work: Work): Promise<boolean>
}

type Run = (subject: string, what: string, work: Work) => Promise<boolean>

/** An action that waits for a visitor to connect. */
interface Waiting {
  subject: string
  what: string
  work: Work
  goOn(done: Promise<boolean> | false): void
}

const ActContext = createContext<Run | null>(null)

/** A wallet that refuses, or signs with another key, may be on another account than the one that signed in. */
const mayBeAnotherAccount = (error: unknown) =>
  error instanceof BadSignature || (error instanceof WalletRefused && !(error instanceof WalletDeclined))

export function ActProvider({ children }: { children: ReactNode }) {
  const { account, wallet, doubt, choosing, choose } = useSession()
  const { market } = useSettings()
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const running = useRunning()
  const run = useCallback<Run>(
    async (subject, what, work) => {
      if (!account || !market) {
        choose(true)
        return new Promise((resolve) => setWaiting({ subject, what, work, goOn: resolve }))
      }
      ticketActions.begin(subject, what)
      dismiss((toast) => toast.subject === subject)
      try {
        const [trades, signed] = await Promise.all([import('./signing/trades.ts'), wallet()])
        const text = await work(trades, { signed, market })
        ticketActions.settled(subject)
        if (text) notify({ kind: 'good', title: text, subject })
        return true
      } catch (error) {
        if (mayBeAnotherAccount(error)) doubt()
        const isShownInTicket = ticketActions.failed(subject, errorText(error))
        if (!isShownInTicket) notify({ kind: 'bad', title: 'Not done:', text: errorText(error), subject })
        return false
      }
    },
    [account, market, wallet, doubt, choose],
  )
  useEffect(() => {
    if (!waiting) return
    const { subject, what, work, goOn } = waiting
    if (account && market) goOn(run(subject, what, work))
    else if (!choosing && account === null) goOn(false)
    else return
    setWaiting(null)
  }, [waiting, account, market, choosing, run])
  return (
    <ActContext.Provider value={run}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-3 bottom-[calc(var(--tabs-height)+12px)] z-40 grid justify-items-center gap-2"
      >
        {running.map((what) => (
          <p
            key={what}
            className="panel flex max-w-full items-center gap-3 px-4 py-3 text-small shadow-toast"
            role="status"
          >
            <span
              className="size-4 shrink-0 animate-spin rounded-full border-2 border-line border-t-accent"
              aria-hidden="true"
            />
            <span className="min-w-0 [overflow-wrap:anywhere]">{what}…</span>
          </p>
        ))}
      </div>
    </ActContext.Provider>
  )
}

/** The actions of one subject: an item, an offer, the cart. */
export function useAct(subject: string): Act {
  const run = useContext(ActContext)
  if (!run) throw new Error('no ActProvider')
  const ticket = useTicket(subject)
  return {
    busy: ticket?.phase === 'running' ? ticket.what : null,
    run: useCallback((what, work) => run(subject, what, work), [run, subject]),
  }
}
