import { useRead } from '../../api/client.ts'
import { useSession } from '../../session/session.tsx'

/** Returns the spendable sats of the visitor's wallet, or null while loading or if not signed in. */
export function useBalance(): number | null {
  const { account } = useSession()
  const found = useRead(
    'listCoins',
    { query: { walletBindingId: account?.walletBindingId ?? '' } },
    { enabled: Boolean(account) },
  )
  return found.data?.totalSats ?? null
}
