import { BadSignature, WalletDeclined, WalletRefused } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { errorText } from './error-text.ts'
import { useSession } from './session.tsx'
import { useSettings } from './settings.tsx'
import type * as Trades from './signing/trades.ts'
import { dismiss, notify } from './ui/toast-list.ts'

/** One action of the visitor with their wallet. Returns the notice to show when it is done; none where it says enough itself. */
type Work = (trades: typeof Trades, trading: Trades.Trading) => Promise<string | undefined>

interface Act {
  /** The name of the running action; null while none runs. */
  busy: string | null
  /** Runs an action; false where it failed. The page shows `what` while it runs and the text of `work` when it is done. */
  run(what: string, work: Work): Promise<boolean>
}

/** Shared by the messages of all actions, so that one of them shows at a time. */
const SUBJECT = 'act'

const ActContext = createContext<Act | null>(null)

/** A wallet that refuses, or signs with another key, may be on another account than the one that signed in. */
const mayBeAnotherAccount = (error: unknown) =>
  error instanceof BadSignature || (error instanceof WalletRefused && !(error instanceof WalletDeclined))

export function ActProvider({ children }: { children: ReactNode }) {
  const { account, wallet, doubt, choose } = useSession()
  const { market } = useSettings()
  const [busy, setBusy] = useState<string | null>(null)
  const run = useCallback(
    async (what: string, work: Work) => {
      if (!account || !market) {
        choose(true)
        return false
      }
      setBusy(what)
      dismiss((toast) => toast.subject === SUBJECT)
      try {
        const [trades, signed] = await Promise.all([import('./signing/trades.ts'), wallet()])
        const text = await work(trades, { signed, market })
        if (text) notify({ kind: 'good', title: text, subject: SUBJECT })
        return true
      } catch (error) {
        if (mayBeAnotherAccount(error)) doubt()
        notify({ kind: 'bad', title: 'Not done:', text: errorText(error), subject: SUBJECT })
        return false
      } finally {
        setBusy(null)
      }
    },
    [account, market, wallet, doubt, choose],
  )
  return (
    <ActContext.Provider value={{ busy, run }}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-3 bottom-[calc(var(--tabs-height)+12px)] z-40 grid justify-items-center"
      >
        {busy && (
          <p
            className="panel flex max-w-full items-center gap-3 px-4 py-3 text-small shadow-toast"
            role="status"
          >
            <span
              className="size-4 shrink-0 animate-spin rounded-full border-2 border-line border-t-accent"
              aria-hidden="true"
            />
            <span className="min-w-0 [overflow-wrap:anywhere]">{busy}…</span>
          </p>
        )}
      </div>
    </ActContext.Provider>
  )
}

export function useAct(): Act {
  const act = useContext(ActContext)
  if (!act) throw new Error('no ActProvider')
  return act
}
