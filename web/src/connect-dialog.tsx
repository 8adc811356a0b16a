import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import { testWallets } from '@ordbook/sdk/wallets/demo.ts'
import { useState } from 'react'
import { errorText } from './error-text.ts'
import { useSession } from './session.tsx'
import { useSettings } from './settings.tsx'
import { Badge, Button, Dialog } from './ui/basics.tsx'
import { WalletIcon } from './ui/icons.tsx'
import { byHand } from './wallet/by-hand.ts'

/** Chooses a wallet and signs in with it. */
export default function ConnectDialog() {
  const { choose, signIn } = useSession()
  const { market } = useSettings()
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const shown = [...(market?.testWallets ? testWallets : []), ...browserWallets, byHand]
  const start = async (id: string) => {
    setBusy(id)
    setProblem(null)
    try {
      await signIn(id)
    } catch (error) {
      setProblem(errorText(error))
      setBusy(null)
    }
  }
  return (
    <Dialog title="Connect wallet" onClose={() => choose(false)}>
      <p className="mb-4 text-sm text-soft">
        You sign a message, nothing else: it moves no coins and grants nothing. The market never holds what is
        yours.
      </p>
      <ul className="grid gap-2">
        {shown.map((adapter) => (
          <li key={adapter.id}>
            {adapter.isPresent() ? (
              <Button
                className="w-full !justify-start"
                disabled={busy !== null}
                onClick={() => void start(adapter.id)}
              >
                <WalletIcon className="text-lamp" />
                {adapter.name}
                {adapter.id.startsWith('test-') && <Badge tone="lamp">Demo</Badge>}
                {busy === adapter.id && <span className="ml-auto text-soft">Waiting for the wallet…</span>}
              </Button>
            ) : (
              <a
                className="flex min-h-10 items-center gap-2 rounded-lg border border-line px-4 text-sm text-soft hover:text-ink"
                href={adapter.url}
                target="_blank"
                rel="noreferrer"
              >
                <WalletIcon />
                {adapter.name}
                <span className="ml-auto underline">Install</span>
              </a>
            )}
          </li>
        ))}
      </ul>
      <div aria-live="polite" className="mt-4 text-sm text-bad">
        {problem}
      </div>
    </Dialog>
  )
}
