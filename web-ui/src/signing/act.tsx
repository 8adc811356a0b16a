import { BadSignature, OverNetworkFee, WalletDeclined, WalletRefused } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { queries } from '../api/client.ts'
import { errorText, isUnanswered } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { useIsLost } from '../live/live.ts'
import { useSession } from '../session/session.tsx'
import { failed } from '../strings/errors.ts'
import { progress as words } from '../strings/progress.ts'
import { split } from '../strings/split.ts'
import { progressOf, ticketActions, useTicket } from '../ticket/progress/tickets.ts'
import { dismiss, notify } from '../ui/messages/toast-list.ts'
import { SeparateFirst } from './separate-first.ts'
import type * as Trades from './trades.ts'

/** A wallet action. Returns the notification on success. */
type Work = (trades: typeof Trades, trading: Trades.Trading) => Promise<string | undefined>

interface Act {
  /** Name of the running action, or the reason why none can start. */
  busy: string | null
  isRunning: boolean
  /** Runs an action. Resolves to false if it failed or was cancelled; the ticket or the header has the reason. */
  run(what: string, work: Work): Promise<boolean>
}

type Run = (subject: string, what: string, work: Work) => Promise<boolean>

/** Subject of the action that separates a coin. */
const SEPARATING = 'separate coin'

interface Waiting {
  subject: string
  what: string
  work: Work
  goOn(done: Promise<boolean> | false): void
}

/** The market may have received a trade before the connection broke. */
const reasonOf = (subject: string, error: unknown) =>
  isUnanswered(error) && ticketActions.isSending(subject) ? words.lostSending : errorText(error)

const ActContext = createContext<Run | null>(null)

const mayBeAnotherAccount = (error: unknown) =>
  error instanceof BadSignature || (error instanceof WalletRefused && !(error instanceof WalletDeclined))

export function ActProvider({ children }: { children: ReactNode }) {
  const { account, wallet, doubt, choosing, choose } = useSession()
  const { market } = useSettings()
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const run = useCallback<Run>(
    async function run(subject, what, work) {
      if (!account || !market) {
        choose(true)
        return new Promise((resolve) => setWaiting({ subject, what, work, goOn: resolve }))
      }
      ticketActions.begin(subject, what)
      dismiss((toast) => toast.subject === subject)
      try {
        const [trades, signed] = await Promise.all([import('./trades.ts'), wallet()])
        const text = await work(trades, { signed, market, progress: progressOf(subject) })
        ticketActions.settled(subject)
        if (text) notify({ kind: 'good', title: text, subject })
        return true
      } catch (error) {
        if (mayBeAnotherAccount(error)) doubt()
        if (error instanceof OverNetworkFee) void queries.invalidateQueries()
        if (error instanceof SeparateFirst) {
          ticketActions.failed(subject, reasonOf(subject, error), true)
          void run(SEPARATING, split.running, separating(error.inscriptionId))
          return false
        }
        ticketActions.failed(subject, reasonOf(subject, error), error instanceof WalletDeclined)
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
  return <ActContext.Provider value={run}>{children}</ActContext.Provider>
}

const separating =
  (inscriptionId: string): Work =>
  (trades, trading) =>
    trades.separateCoin(trading, inscriptionId)

/** Returns an action that separates the contents of an item's coin. */
export function useSeparate(): (inscriptionId: string) => void {
  const { run } = useAct(SEPARATING)
  return (inscriptionId) => void run(split.running, separating(inscriptionId))
}

/** Actions of one subject: an item, an offer or the cart. */
export function useAct(subject: string): Act {
  const run = useContext(ActContext)
  if (!run) throw new Error('no ActProvider')
  const ticket = useTicket(subject)
  const isLost = useIsLost()
  const isRunning = ticket?.phase === 'running'
  return {
    busy: isRunning ? ticket.what : isLost ? failed.unreachable : null,
    isRunning,
    run: useCallback((what, work) => run(subject, what, work), [run, subject]),
  }
}
