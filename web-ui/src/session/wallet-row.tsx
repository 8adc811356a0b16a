import type { Adapter } from '@ordbook/sdk/wallets/adapter.ts'
import { announcedIcon } from '@ordbook/sdk/wallets/announced-icon.ts'
import { browserWallets } from '@ordbook/sdk/wallets/browser-wallets.ts'
import type { ReactNode } from 'react'
import { LAST_WALLET, stored } from '../state/stored.ts'
import { connecting as words } from '../strings/wallet.ts'
import { Badge, Button } from '../ui/basics.tsx'
import { WalletIcon } from '../ui/icons.tsx'
import { abilitiesOf } from '../wallet/abilities.ts'
import { byHand } from '../wallet/by-hand.ts'

export const ROW =
  'flex min-h-14 w-full min-w-0 items-center gap-3 rounded-control border border-line bg-raised px-3 py-2 text-left hover:border-edge'

export const isExtension = (adapter: Adapter) => browserWallets.includes(adapter)

/** A wallet that can be connected, with what it can do. */
export function WalletRow({
  adapter,
  isBusy,
  pick,
  test,
}: {
  adapter: Adapter
  isBusy: boolean
  pick(): void
  test(): void
}) {
  const { isUntested } = abilitiesOf(adapter)
  const offersTest = isExtension(adapter) && isUntested
  return (
    <div className="flex gap-2">
      <button
        type="button"
        className={`${ROW} ${isBusy ? 'opacity-60' : ''}`}
        // A disabled button would lose focus.
        aria-disabled={isBusy || undefined}
        onClick={isBusy ? undefined : pick}
      >
        <Icon adapter={adapter} />
        <span className="grid min-w-0 flex-1">
          <span className="flex items-center gap-2 font-[560]">
            {adapter.name} {adapter.id.startsWith('test-') && <Badge tone="lamp">{words.demo}</Badge>}
          </span>
          <span className="text-small text-soft">{lineOf(adapter)}</span>
        </span>
        {stored(LAST_WALLET) === adapter.id && <Badge>{words.lastUsed}</Badge>}
      </button>
      {offersTest && (
        <Button kind="ghost" disabled={isBusy} onClick={test} aria-label={words.test(adapter.name)}>
          {words.testShort}
        </Button>
      )}
    </div>
  )
}

/** The announced icon is untrusted: an <img> runs no scripts. */
function Icon({ adapter }: { adapter: Adapter }): ReactNode {
  const icon = isExtension(adapter) ? announcedIcon(adapter) : null
  return icon ? (
    <img
      src={icon}
      alt=""
      width={40}
      height={40}
      className="size-10 shrink-0 rounded-control object-contain"
    />
  ) : (
    <span className="grid size-10 shrink-0 place-items-center rounded-control bg-surface text-lg">
      <WalletIcon className="text-accent" />
    </span>
  )
}

function lineOf(adapter: Adapter): string {
  if (adapter === byHand) return words.byHand
  if (!isExtension(adapter)) return words.ofDemo
  const { isUntested, cannot } = abilitiesOf(adapter)
  if (isUntested) return words.notTested
  return cannot.length > 0 ? words.signsSome : words.signsAll
}

/** Links to wallets that are not installed. */
export function MoreWallets({ wallets, isOpen }: { wallets: readonly Adapter[]; isOpen: boolean }) {
  if (wallets.length === 0) return null
  return (
    <details open={isOpen || undefined} className="rounded-control border border-line">
      <summary className="min-h-14 cursor-pointer px-3 py-2">
        <span className="font-[560]">{words.more}</span>
        <span className="block text-small text-soft">{wallets.map(({ name }) => name).join(', ')}</span>
      </summary>
      <ul className="border-t border-line">
        {wallets.map(({ id, name, url }) => (
          <li key={id}>
            <a
              className="flex min-h-11 items-center gap-3 px-3 text-soft hover:text-ink"
              href={url}
              target="_blank"
              rel="noreferrer"
            >
              {name}
              <span className="ml-auto underline">{words.install}</span>
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}
