import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { testWallets } from '@ordbook/sdk/wallets/demo.ts'
import { useState } from 'react'
import { errorText } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { LAST_WALLET, stored } from '../state/stored.ts'
import { useIsTouch } from '../state/use-media.ts'
import { connecting as words } from '../strings/wallet.ts'
import { Sheet } from '../ui/sheet.tsx'
import { abilitiesOf, keepTest } from '../wallet/abilities.ts'
import { byHand } from '../wallet/by-hand.ts'
import type { SignInStep } from '../wallet/connect.ts'
import { Inabilities, testWallet, WalletTest } from '../wallet/wallet-test.tsx'
import { PhoneWallets } from './phone-wallets.tsx'
import { useSession } from './session.tsx'
import { SignInSteps } from './sign-in-steps.tsx'
import { isExtension, MoreWallets, WalletRow } from './wallet-row.tsx'

/** Dialog to choose a wallet and sign in. Offers to test an unknown wallet first. */
export default function ConnectDialog() {
  const { choose, signIn } = useSession()
  const { market } = useSettings()
  const [busy, setBusy] = useState<string | null>(null)
  const [step, setStep] = useState<SignInStep | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [untested, setUntested] = useState<Adapter | null>(null)
  const whileBusy = async (id: string, run: () => Promise<void>) => {
    setBusy(id)
    setProblem(null)
    try {
      await run()
    } catch (error) {
      setProblem(errorText(error))
    }
    setBusy(null)
    setStep(null)
  }
  const start = (adapter: Adapter) => whileBusy(adapter.id, () => signIn(adapter.id, setStep))
  const pick = (adapter: Adapter) => {
    if (isExtension(adapter) && !abilitiesOf(adapter).isAsked) setUntested(adapter)
    else void start(adapter)
  }
  return (
    <Sheet open title={untested ? `Connect ${untested.name}` : words.title} onClose={() => choose(false)}>
      {untested ? (
        <>
          <WalletTest
            adapter={untested}
            isBusy={busy !== null}
            test={() => {
              if (market) void whileBusy(untested.id, () => testWallet(untested, market))
            }}
            connect={() => {
              if (!abilitiesOf(untested).isAsked) keepTest(untested.id, 'skipped')
              void start(untested)
            }}
          />
          {step && <SignInSteps wallet={untested.name} step={step} />}
        </>
      ) : (
        <Wallets {...{ busy, step, pick, test: setUntested, hasTestWallets: market?.testWallets ?? false }} />
      )}
      <div aria-live="polite" className="mt-4 text-sm text-down">
        {problem}
      </div>
    </Sheet>
  )
}

function Wallets({
  busy,
  step,
  pick,
  test,
  hasTestWallets,
}: {
  busy: string | null
  step: SignInStep | null
  pick(adapter: Adapter): void
  test(adapter: Adapter): void
  hasTestWallets: boolean
}) {
  const isTouch = useIsTouch()
  const installed = browserWallets.filter((adapter) => adapter.isPresent())
  const missing = browserWallets.filter((adapter) => !installed.includes(adapter))
  const last = stored(LAST_WALLET)
  const usable = [...installed, ...(hasTestWallets ? testWallets : [])].toSorted(
    (a, b) => Number(b.id === last) - Number(a.id === last),
  )
  const isOnPhone = isTouch && installed.length === 0
  // A pressed row stays, so that it keeps the focus.
  const isShown = ({ id }: Adapter) => step === null || id === busy
  const rowOf = (adapter: Adapter) => (
    <li key={adapter.id} className="grid gap-1">
      <WalletRow
        adapter={adapter}
        isBusy={busy !== null}
        pick={() => pick(adapter)}
        test={() => test(adapter)}
      />
      <Inabilities adapter={adapter} />
      {step && <SignInSteps wallet={adapter.name} step={step} />}
    </li>
  )
  return (
    <>
      {step === null && isOnPhone && <PhoneWallets />}
      {step === null && !isOnPhone && <p className="mb-4 text-sm text-soft">{words.windows}</p>}
      {step === null && usable.length > 0 && <h3 className="mb-2 text-small text-soft">{words.inBrowser}</h3>}
      <ul className="grid gap-2">{usable.filter(isShown).map(rowOf)}</ul>
      <div className="mt-2 grid gap-2">
        {step === null && !isOnPhone && <MoreWallets wallets={missing} isOpen={usable.length === 0} />}
        <ul>{isShown(byHand) && rowOf(byHand)}</ul>
      </div>
    </>
  )
}
