import { useRead } from '../../api/client.ts'
import { useSession } from '../../session/session.tsx'

/** Returns the spendable sats of the wallet, or null if unknown. */
export function useBalance(): number | null {
  const { account } = useSession()
  const found = useRead(
    'listCoins',
    { query: { walletBindingId: account?.walletBindingId ?? '' } },
    { enabled: Boolean(account) },
  )
  return found.data?.totalSats ?? null
}
