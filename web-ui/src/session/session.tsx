import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { ApiError } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { client, queries, useRead } from '../api/client.ts'
import { useSettings } from '../api/settings.tsx'
import { KEPT, store, stored } from '../state/stored.ts'
import { useRendered } from '../ui/use-rendered.ts'
import type { Binding, MarketChain } from '../wallet/connect.ts'
import type { Signed } from '../wallet/signed.ts'

/** The session of a visitor. The code of wallets is loaded when a wallet is used. */
interface Session {
  /** Null: a visitor; undefined: not known yet. */
  account: { ordinalsAddress: string; paymentAddress: string; walletBindingId: string } | null | undefined
  signIn(adapterId: string): Promise<void>
  /** Ends this session, or every session of the wallet. Throws when the others cannot be ended. */
  signOut(which?: { everywhere: boolean }): Promise<void>
  /** The wallet of the session, connected. Throws when it is another than the one that signed in. */
  wallet(): Promise<Signed>
  /** Forgets the accounts of the wallet, so that the next `wallet` asks it for them: it may be on another account. */
  doubt(): void
  /** Opens and closes the dialog in which a wallet is chosen. */
  choosing: boolean
  choose(open: boolean): void
}

/** Refusals that end a session for good. */
const OVER: ReadonlySet<ApiError['code']> = new Set<ErrorCode>([
  'session-required',
  'session-ambiguous',
  'wallet-blocked',
  'profile-gone',
])

const SessionContext = createContext<Session | null>(null)

/** The wallet of an earlier load, connected again; it must answer with the addresses of the session. */
async function reconnectKept(market: MarketChain, bindings: readonly Binding[]): Promise<Signed> {
  const { reconnect } = await import('../wallet/connect.ts')
  const adapterId = stored(KEPT.wallet)
  if (!adapterId) throw new Error('Sign in with your wallet again: this browser does not know which it was')
  return reconnect(adapterId, market, bindings)
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const { market } = useSettings()
  const [choosing, choose] = useState(false)
  const [signed, setSigned] = useState<Signed | null>(null)
  // No page can read the cookie, so the browser remembers separately that a wallet signed in.
  const [isKnown, setKnown] = useState(() => stored(KEPT.wallet) !== null)
  const rendered = useRendered()
  const me = useRead('getWebSession', {}, { enabled: isKnown })
  const isOver = me.error instanceof ApiError && OVER.has(me.error.code)
  const isOut = !isKnown || isOver
  const bindings = isOut ? undefined : me.data?.walletBindings
  const binding = bindings?.[0]

  const signIn = useCallback(
    async (adapterId: string) => {
      if (!market) return
      const { connect } = await import('../wallet/connect.ts')
      const now = await connect(client, adapterId, market)
      // The pages of an earlier session end first: this one is refused their reads.
      if (isKnown) {
        setKnown(false)
        await rendered()
      }
      setSigned(now)
      store(KEPT.wallet, adapterId)
      // Answers to an earlier session must not show in this one.
      queries.removeQueries({ queryKey: ['getWebSession'] })
      setKnown(true)
      choose(false)
      await queries.invalidateQueries()
    },
    [market, isKnown, rendered],
  )
  const signOut = useCallback(
    async ({ everywhere } = { everywhere: false }) => {
      if (everywhere) await client.call('endWalletSessions')
      else await client.call('endWebSession').catch(() => {})
      for (const name of Object.values(KEPT)) store(name, null)
      // The page first becomes a visitor's, so that it reads again only what a visitor may see.
      setKnown(false)
      setSigned(null)
      await rendered()
      queries.removeQueries({ type: 'inactive' })
      await queries.invalidateQueries()
    },
    [rendered],
  )
  const wallet = useCallback(async () => {
    if (!market || !bindings) throw new Error('Sign in with your wallet first')
    if (signed) return signed
    const again = await reconnectKept(market, bindings)
    setSigned(again)
    return again
  }, [market, bindings, signed])
  const doubt = useCallback(() => {
    store(KEPT.accounts, null)
    setSigned(null)
  }, [])
  // After a session the page is a visitor's and reads nothing of that session again.
  useEffect(() => {
    if (!isOut) return
    setSigned(null)
    setKnown(false)
  }, [isOut])

  const value = useMemo<Session>(
    () => ({
      account: binding ?? (isKnown && me.isPending ? undefined : null),
      signIn,
      signOut,
      wallet,
      doubt,
      choosing,
      choose,
    }),
    [binding, isKnown, me.isPending, signIn, signOut, wallet, doubt, choosing],
  )
  return <SessionContext.Provider value={value}>{children}</SessionContext.Provider>
}

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('no SessionProvider')
  return session
}
