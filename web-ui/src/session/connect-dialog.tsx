import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { testWallets } from '@ordbook/sdk/wallets/demo.ts'
import { useState } from 'react'
import { errorText } from '../api/error-text.ts'
import { useSettings } from '../api/settings.tsx'
import { Badge, Button } from '../ui/basics.tsx'
import { WalletIcon } from '../ui/icons.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { abilitiesOf, keepTest } from '../wallet/abilities.ts'
import { byHand } from '../wallet/by-hand.ts'
import { Inabilities, testWallet, WalletTest } from '../wallet/wallet-test.tsx'
import { useSession } from './session.tsx'

/** Dialog to choose a wallet and sign in. Offers to test an unknown wallet first. */
export default function ConnectDialog() {
  const { choose, signIn } = useSession()
  const { market } = useSettings()
  const [busy, setBusy] = useState<string | null>(null)
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
  }
  const start = (adapter: Adapter) => whileBusy(adapter.id, () => signIn(adapter.id))
  const pick = (adapter: Adapter) => {
    if (browserWallets.includes(adapter) && !abilitiesOf(adapter).isAsked) setUntested(adapter)
    else void start(adapter)
  }
  return (
    <Sheet
      open
      title={untested ? `Connect ${untested.name}` : 'Connect wallet'}
      onClose={() => choose(false)}
    >
      {untested ? (
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
      ) : (
        <>
          <p className="mb-4 text-sm text-soft">
            You only sign a message: it moves no coins and grants no permissions. The market never holds your
            coins.
          </p>
          <ul className="grid gap-2">
            {[...(market?.testWallets ? testWallets : []), ...browserWallets, byHand].map((adapter) => (
              <li key={adapter.id} className="grid gap-1">
                <WalletRow {...{ adapter, busy, pick }} test={() => setUntested(adapter)} />
                <Inabilities adapter={adapter} />
              </li>
            ))}
          </ul>
        </>
      )}
      <div aria-live="polite" className="mt-4 text-sm text-down">
        {problem}
      </div>
    </Sheet>
  )
}

interface Row {
  adapter: Adapter
  busy: string | null
  pick(adapter: Adapter): void
  test(): void
}

function WalletRow({ adapter, busy, pick, test }: Row) {
  const { id, name, url } = adapter
  const { isUntested } = abilitiesOf(adapter)
  const isBrowsers = browserWallets.includes(adapter)
  if (!adapter.isPresent())
    return (
      <a
        className="flex min-h-10 items-center gap-2 rounded-lg border border-line px-4 text-sm text-soft hover:text-ink"
        href={url}
        target="_blank"
        rel="noreferrer"
      >
        <WalletIcon />
        {name}
        {isBrowsers && isUntested && <Badge>Untested</Badge>}
        <span className="ml-auto underline">Install</span>
      </a>
    )
  return (
    <div className="flex gap-2">
      <Button className="grow !justify-start" disabled={busy !== null} onClick={() => pick(adapter)}>
        <WalletIcon className="text-accent" />
        {name}
        {id.startsWith('test-') && <Badge tone="lamp">Demo</Badge>}
        {isBrowsers && isUntested && <Badge>Untested</Badge>}
        {busy === id && <span className="ml-auto text-soft">Waiting for the wallet…</span>}
      </Button>
      {isBrowsers && isUntested && (
        <Button kind="ghost" disabled={busy !== null} onClick={test} aria-label={`Test ${name}`}>
          Test
        </Button>
      )}
    </div>
  )
}
