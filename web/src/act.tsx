import { BadSignature, WalletDeclined, WalletRefused } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { errorText } from './error-text.ts'
import { useSession } from './session.tsx'
import { useSettings } from './settings.tsx'
import type * as Trades from './signing/trades.ts'
import { Button } from './ui/basics.tsx'
import { CheckIcon, CloseIcon } from './ui/icons.tsx'

/** One action of the visitor with their wallet. Returns the notice to show when it is done; none where it says enough itself. */
type Work = (trades: typeof Trades, trading: Trades.Trading) => Promise<string | undefined>

interface Act {
  /** The name of the running action; null while none runs. */
  busy: string | null
  /** Runs an action; false where it failed. The page shows `what` while it runs and the text of `work` when it is done. */
  run(what: string, work: Work): Promise<boolean>
}

interface Notice {
  text: string
  tone: 'good' | 'bad'
}

const ActContext = createContext<Act | null>(null)

/** A wallet that refuses, or signs with another key, may be on another account than the one that signed in. */
const mayBeAnotherAccount = (error: unknown) =>
  error instanceof BadSignature || (error instanceof WalletRefused && !(error instanceof WalletDeclined))

export function ActProvider({ children }: { children: ReactNode }) {
  const { account, wallet, doubt, choose } = useSession()
  const { market } = useSettings()
  const [busy, setBusy] = useState<string | null>(null)
  const [notice, setNotice] = useState<Notice | null>(null)
  const run = useCallback(
    async (what: string, work: Work) => {
      if (!account || !market) {
        choose(true)
        return false
      }
      setBusy(what)
      setNotice(null)
      try {
        const [trades, signed] = await Promise.all([import('./signing/trades.ts'), wallet()])
        const text = await work(trades, { signed, market })
        if (text) setNotice({ text, tone: 'good' })
        return true
      } catch (error) {
        if (mayBeAnotherAccount(error)) doubt()
        setNotice({ text: errorText(error), tone: 'bad' })
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
      <div aria-live="polite" className="fixed inset-x-3 bottom-3 z-40 grid justify-items-center gap-2">
        {busy && (
          <p className="panel flex items-center gap-3 px-4 py-3 text-sm shadow-lg" role="status">
            <span
              className="size-4 animate-spin rounded-full border-2 border-line border-t-lamp"
              aria-hidden="true"
            />
            {busy}…
          </p>
        )}
        {notice && (
          <p
            data-tone={notice.tone}
            className="panel flex max-w-xl items-start gap-3 px-4 py-3 text-sm shadow-lg"
          >
            {notice.tone === 'good' ? (
              <CheckIcon className="mt-0.5 shrink-0 text-lg text-good" />
            ) : (
              <span className="font-semibold text-bad">Not done:</span>
            )}
            <span className="break-words [overflow-wrap:anywhere]">{notice.text}</span>
            <Button
              kind="quiet"
              className="!min-h-6 !px-1"
              aria-label="Dismiss"
              onClick={() => setNotice(null)}
            >
              <CloseIcon />
            </Button>
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
