import { useRead } from '../../api/client.ts'
import { useSession } from '../../session/session.tsx'

/** Spendable sats of the visitor's wallet; null while loading or if not signed in. */
export function useBalance(): number | null {
  const { account } = useSession()
  const found = useRead(
    'listCoins',
    { query: { walletBindingId: account?.walletBindingId ?? '' } },
    { enabled: Boolean(account) },
  )
  return found.data?.totalSats ?? null
}
