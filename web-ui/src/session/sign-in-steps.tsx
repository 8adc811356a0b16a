import { shortAddress } from '../format/format.ts'
import { connecting as words } from '../strings/wallet.ts'
import type { SignInStep } from '../wallet/connect.ts'

/** Steps if the wallet has not shared its accounts: one to connect, and one per address. */
const MAX_STEPS = 3

/** Which window of the wallet is open, of how many. */
export function SignInSteps({ wallet, step: { number, of, account } }: { wallet: string; step: SignInStep }) {
  const segments = Array.from({ length: of ?? MAX_STEPS }, (_, n) =>
    n + 1 < number ? 'bg-up' : n + 1 === number ? 'bg-amber' : 'bg-line',
  )
  return (
    <div role="status" className="grid gap-2 rounded-control border border-line p-3 text-sm">
      <p className="flex justify-between gap-3">
        <span className="font-[560]">{wallet}</span>
        <span className="tabular text-soft">{words.step(number, of)}</span>
      </p>
      <p className="flex gap-1" aria-hidden="true">
        {segments.map((tone, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the segments never changes
          <span key={n} className={`h-1 flex-1 rounded-full ${tone}`} />
        ))}
      </p>
      {account ? (
        <p>
          {words.sign} <strong>{words.addresses[account.purpose]}</strong>{' '}
          <span className="font-mono text-soft" title={account.address}>
            {shortAddress(account.address)}
          </span>
        </p>
      ) : (
        <p>{words.share(wallet)}</p>
      )}
      <p className="text-soft">{words.noWindow(wallet)}</p>
    </div>
  )
}
