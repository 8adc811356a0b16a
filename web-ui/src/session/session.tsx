import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { ApiError } from '@ordbook/sdk/errors.ts'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { client, queries, useRead } from '../api/client.ts'
import { useSettings } from '../api/settings.tsx'
import { KEPT, LAST_WALLET, store, stored } from '../state/stored.ts'
import { useRendered } from '../state/use-rendered.ts'
import type { Binding, MarketChain, SignInStep } from '../wallet/connect.ts'
import type { Signed } from '../wallet/signed.ts'

/** Session of the visitor. Wallet code loads on first use. */
interface Session {
  /** Null if not signed in; undefined while loading. */
  account: { ordinalsAddress: string; paymentAddress: string; walletBindingId: string } | null | undefined
  signIn(adapterId: string, onStep?: (step: SignInStep) => void): Promise<void>
  /** Throws if ending all sessions fails. */
  signOut(which?: { everywhere: boolean }): Promise<void>
  /** Connects the wallet. Throws if its accounts did not sign in. */
  wallet(): Promise<Signed>
  /** Drops the cached accounts: the wallet may have switched accounts. */
  doubt(): void
  choosing: boolean
  choose(open: boolean): void
}

const OVER: ReadonlySet<ApiError['code']> = new Set<ErrorCode>([
  'session-required',
  'session-ambiguous',
  'wallet-blocked',
  'profile-gone',
])

const SessionContext = createContext<Session | null>(null)

/** Reconnects the wallet after a reload. Throws if its addresses differ. */
async function reconnectKept(market: MarketChain, bindings: readonly Binding[]): Promise<Signed> {
  const { reconnect } = await import('../wallet/connect.ts')
  const adapterId = stored(KEPT.wallet)
  if (!adapterId) throw new Error('This browser has no record of your wallet. Sign in again.')
  return reconnect(adapterId, market, bindings)
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const { market } = useSettings()
  const [choosing, choose] = useState(false)
  const [signed, setSigned] = useState<Signed | null>(null)
  // Pages cannot read the session cookie, so localStorage records the sign-in.
  const [isKnown, setKnown] = useState(() => stored(KEPT.wallet) !== null)
  const rendered = useRendered()
  const me = useRead('getWebSession', {}, { enabled: isKnown })
  const isOver = me.error instanceof ApiError && OVER.has(me.error.code)
  const isOut = !isKnown || isOver
  const bindings = isOut ? undefined : me.data?.walletBindings
  const binding = bindings?.[0]

  const signIn = useCallback(
    async (adapterId: string, onStep?: (step: SignInStep) => void) => {
      if (!market) return
      const { connect } = await import('../wallet/connect.ts')
      const connected = await connect(client, adapterId, market, onStep)
      // Unmount the reads of the previous session before its cookie is replaced.
      if (isKnown) {
        setKnown(false)
        await rendered()
      }
      setSigned(connected)
      store(KEPT.wallet, adapterId)
      store(LAST_WALLET, adapterId)
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
      // Render as signed out first, so that only public data is read again.
      setKnown(false)
      setSigned(null)
      await rendered()
      queries.removeQueries({ type: 'inactive' })
      await queries.invalidateQueries()
    },
    [rendered],
  )
  const wallet = useCallback(async () => {
    if (!market || !bindings) throw new Error('Sign in with your wallet first.')
    if (signed) return signed
    const reconnected = await reconnectKept(market, bindings)
    setSigned(reconnected)
    return reconnected
  }, [market, bindings, signed])
  const doubt = useCallback(() => {
    store(KEPT.accounts, null)
    setSigned(null)
  }, [])
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
