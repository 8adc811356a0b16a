import { useEffect, useState } from 'react'
import { errorText } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { KEPT, stored } from '../state/stored.ts'
import { accountSwitch as words } from '../strings/wallet.ts'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useSession } from './session.tsx'

/** Dialog to sign in with the account that the wallet switched to. */
export default function AccountSwitch() {
  const { account, signIn, doubt } = useSession()
  const { market } = useSettings()
  const currentAddress = account?.ordinalsAddress
  const adapterId = account ? stored(KEPT.wallet) : null
  const [newAccount, setNewAccount] = useState<{ to: string | null } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    setNewAccount(null)
    if (!currentAddress || !adapterId || !market) return
    let end = () => {}
    let isOver = false
    void import('../wallet/connect.ts').then(({ watchAccount }) => {
      if (isOver) return
      end = watchAccount(adapterId, market, (to) => {
        setProblem('')
        setNewAccount(to === currentAddress ? null : { to })
        if (to !== currentAddress) doubt()
      })
    })
    return () => {
      isOver = true
      end()
    }
  }, [currentAddress, adapterId, market, doubt])
  if (!newAccount || !currentAddress || !adapterId) return null
  const switchAccount = async () => {
    setBusy(true)
    setProblem('')
    try {
      await signIn(adapterId)
      setNewAccount(null)
    } catch (error) {
      setProblem(errorText(error))
    }
    setBusy(false)
  }
  return (
    <Sheet open title={words.title} onClose={() => setNewAccount(null)}>
      <div className="grid gap-4 text-sm">
        {newAccount.to === null ? (
          <p>{words.unnamed}</p>
        ) : (
          <p>
            {words.to} <span className="font-mono break-all">{newAccount.to}</span>.
          </p>
        )}
        <p>{words.ask}</p>
        <p className="text-soft">
          {words.signedIn} <span className="font-mono break-all">{currentAddress}</span>. {words.stay}
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => setNewAccount(null)}>{words.keep}</Button>
          <Button kind="main" disabled={isBusy} onClick={switchAccount}>
            {words.go}
          </Button>
        </div>
        <div aria-live="polite" className="text-down">
          {problem}
        </div>
      </div>
    </Sheet>
  )
}
