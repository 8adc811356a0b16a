import { useRead } from '../../api/client.ts'
import { useSession } from '../../session/session.tsx'

/** Sats that the visitor's wallet may spend; null for a visitor without a wallet, and until they are known. */
export function useBalance(): number | null {
  const { account } = useSession()
  const found = useRead(
    'listCoins',
    { query: { walletBindingId: account?.walletBindingId ?? '' } },
    { enabled: Boolean(account) },
  )
  return found.data?.totalSats ?? null
}
