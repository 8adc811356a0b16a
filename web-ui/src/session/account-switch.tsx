import { useEffect, useState } from 'react'
import { errorText } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { KEPT, stored } from '../state/stored.ts'
import { accountSwitch as words } from '../strings/wallet.ts'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useSession } from './session.tsx'

/** Asks whether to sign in with the account that the wallet switched to. Closes if the visitor switches back. */
export default function AccountSwitch() {
  const { account, signIn, doubt } = useSession()
  const { market } = useSettings()
  const own = account?.ordinalsAddress
  const adapterId = account ? stored(KEPT.wallet) : null
  const [turned, setTurned] = useState<{ to: string | null } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    setTurned(null)
    if (!own || !adapterId || !market) return
    let end = () => {}
    let isOver = false
    void import('../wallet/connect.ts').then(({ watchAccount }) => {
      if (isOver) return
      end = watchAccount(adapterId, market, (to) => {
        setProblem('')
        setTurned(to === own ? null : { to })
        if (to !== own) doubt()
      })
    })
    return () => {
      isOver = true
      end()
    }
  }, [own, adapterId, market, doubt])
  if (!turned || !own || !adapterId) return null
  const goOn = async () => {
    setBusy(true)
    setProblem('')
    try {
      await signIn(adapterId)
      setTurned(null)
    } catch (error) {
      setProblem(errorText(error))
    }
    setBusy(false)
  }
  return (
    <Sheet open title={words.title} onClose={() => setTurned(null)}>
      <div className="grid gap-4 text-sm">
        {turned.to === null ? (
          <p>{words.unnamed}</p>
        ) : (
          <p>
            {words.to} <span className="font-mono break-all">{turned.to}</span>.
          </p>
        )}
        <p>{words.ask}</p>
        <p className="text-soft">
          {words.signedIn} <span className="font-mono break-all">{own}</span>. {words.stay}
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => setTurned(null)}>{words.keep}</Button>
          <Button kind="main" disabled={isBusy} onClick={goOn}>
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
