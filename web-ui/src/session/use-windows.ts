import { useEffect, useState } from 'react'
import { useSettings } from '../api/settings.tsx'
import { KEPT, stored } from '../state/stored.ts'
import type { WalletWindows } from '../wallet/connect.ts'

/** Returns how many windows the visitor's wallet opens to sign this many PSBTs. Null until its code has loaded. */
export function useWindows(psbts: number): { wallet: string | null; windows: number } | null {
  const { market } = useSettings()
  const [windowsOf, setWindowsOf] = useState<WalletWindows | null>(null)
  const adapterId = stored(KEPT.wallet)
  useEffect(() => {
    if (!market || !adapterId) return
    let isCurrent = true
    void import('../wallet/connect.ts').then(({ walletWindows }) => {
      if (isCurrent) setWindowsOf(walletWindows(adapterId, market))
    })
    return () => {
      isCurrent = false
    }
  }, [market, adapterId])
  return windowsOf && { wallet: windowsOf.name, windows: windowsOf.windowsFor(psbts) }
}
