import { BadSignature, OverNetworkFee, WalletDeclined, WalletRefused } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { queries } from '../api/client.ts'
import { errorText, isUnanswered } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { useIsLost } from '../live/live.ts'
import { useSession } from '../session/session.tsx'
import { failed } from '../strings/errors.ts'
import { progress as words } from '../strings/progress.ts'
import { progressOf, ticketActions, useTicket } from '../ticket/progress/tickets.ts'
import { dismiss, notify } from '../ui/messages/toast-list.ts'
import type * as Trades from './trades.ts'

/** A wallet action. Returns the text of the notification on success; undefined if none is needed. */
type Work = (trades: typeof Trades, trading: Trades.Trading) => Promise<string | undefined>

interface Act {
  /** Name of the running action, or that the connection is lost: no other action on this subject can start. Otherwise null. */
  busy: string | null
  /**
   * Runs an action and resolves to false if it failed. The page shows `what` while it runs. Without a session, opens the wallet dialog first. A
   * failure is shown in the open ticket of the subject, otherwise as a notification.
   */
  run(what: string, work: Work): Promise<boolean>
}

type Run = (subject: string, what: string, work: Work) => Promise<boolean>

interface Waiting {
  subject: string
  what: string
  work: Work
  goOn(done: Promise<boolean> | false): void
}

/** A trade may have been received although the connection broke during the submission; the text says so. */
const reasonOf = (subject: string, error: unknown) =>
  isUnanswered(error) && ticketActions.isSending(subject) ? words.lostSending : errorText(error)

const ActContext = createContext<Run | null>(null)

/** An error or a bad signature can mean that the wallet switched to another account. */
const mayBeAnotherAccount = (error: unknown) =>
  error instanceof BadSignature || (error instanceof WalletRefused && !(error instanceof WalletDeclined))

export function ActProvider({ children }: { children: ReactNode }) {
  const { account, wallet, doubt, choosing, choose } = useSession()
  const { market } = useSettings()
  const [waiting, setWaiting] = useState<Waiting | null>(null)
  const run = useCallback<Run>(
    async (subject, what, work) => {
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
        const reason = reasonOf(subject, error)
        const isShownInTicket = ticketActions.failed(subject, reason)
        if (!isShownInTicket) notify({ kind: 'bad', title: 'Failed:', text: reason, subject })
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

/** Runs the actions of one subject: an item, an offer or the cart. */
export function useAct(subject: string): Act {
  const run = useContext(ActContext)
  if (!run) throw new Error('no ActProvider')
  const ticket = useTicket(subject)
  const isLost = useIsLost()
  return {
    busy: ticket?.phase === 'running' ? ticket.what : isLost ? failed.unreachable : null,
    run: useCallback((what, work) => run(subject, what, work), [run, subject]),
  }
}
