import { useRead } from '@ordbook/web-ui/api/client.ts'
import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { BUTTON, Button, Copyable, KINDS, Price } from '@ordbook/web-ui/ui/basics.tsx'
import { SettingsIcon, WalletIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { type ReactNode, useId, useRef } from 'react'
import { Avatar } from './avatar.tsx'
import { Preferences } from './preferences.tsx'

const ITEM = 'flex min-h-11 w-full items-center rounded-control px-3 text-left hover:bg-raised'

/** Connect button and preferences, or the wallet menu when signed in. */
export function Account() {
  const { account, choose } = useSession()
  if (account === undefined) return <span className="w-24" />
  if (account) return <WalletMenu {...account} />
  return (
    <>
      <Menu
        label={words.display}
        look={`${BUTTON} ${KINDS.ghost} size-11 !px-0 text-lg`}
        button={<SettingsIcon />}
      >
        {() => <Preferences />}
      </Menu>
      <Button kind="main" className="max-sm:!px-3" onClick={() => choose(true)}>
        <WalletIcon className="max-sm:hidden" />
        {words.connect}
      </Button>
    </>
  )
}

type Wallet = NonNullable<ReturnType<typeof useSession>['account']>

function WalletMenu({ ordinalsAddress, paymentAddress, walletBindingId }: Wallet) {
  const { signOut } = useSession()
  const coins = useRead('listCoins', { query: { walletBindingId } })
  return (
    <Menu
      look={`${BUTTON} ${KINDS.plain} !gap-2.5 !px-2`}
      button={
        <>
          <Avatar address={ordinalsAddress} />
          <span className="sr-only">{words.wallet}</span>
          {coins.data && (
            <Price sats={coins.data.totalSats} className="text-small font-semibold max-sm:hidden" />
          )}
          <span className={coins.data ? 'sr-only' : 'font-mono text-caption max-sm:sr-only'}>
            {shortAddress(ordinalsAddress)}
          </span>
        </>
      }
      isAccount
    >
      {(close) => (
        <>
          <dl className="grid gap-2 px-3 py-2 text-small">
            <div className="flex items-baseline justify-between gap-3">
              <dt className="text-soft">{words.available}</dt>
              <dd className="text-right">
                {coins.data ? (
                  <>
                    <Price sats={coins.data.totalSats} className="font-semibold" />
                    {coins.data.keptBackCount > 0 && (
                      <span className="block text-caption text-soft" title={words.keptWhy}>
                        {words.kept(coins.data.keptBackCount)}
                      </span>
                    )}
                  </>
                ) : (
                  <span className="text-soft">{coins.error ? words.noBalance : words.counting}</span>
                )}
              </dd>
            </div>
            <Address label={words.ordinalsAddress} address={ordinalsAddress} />
            <Address label={words.paymentAddress} address={paymentAddress} />
          </dl>
          <Preferences />
          <Link to="/wallet" className={ITEM} onClick={close}>
            {words.portfolio}
          </Link>
          <Link to="/wallet" search={{ tab: 'sessions' }} className={ITEM} onClick={close}>
            {words.sessions}
          </Link>
          <button type="button" className={ITEM} onClick={() => void signOut()}>
            {words.signOut}
          </button>
        </>
      )}
    </Menu>
  )
}

const Address = ({ label, address }: { label: string; address: string }) => (
  <div className="flex items-baseline justify-between gap-3">
    <dt className="text-soft">{label}</dt>
    <dd>
      <Copyable text={address} shown={shortAddress(address)} what={label.toLowerCase()} />
    </dd>
  </div>
)

/** A button with a menu. A native popover handles Escape, outside clicks and focus. */
function Menu({
  label,
  look,
  button,
  isAccount = false,
  children,
}: {
  label?: string
  look: string
  button: ReactNode
  isAccount?: boolean
  children: (close: () => void) => ReactNode
}) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        data-account={isAccount || undefined}
        aria-label={label}
        className={look}
      >
        {button}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="panel fixed inset-auto top-[calc(var(--bar-height)+8px)] right-3 m-0 w-[min(320px,100vw-24px)] p-1.5 text-ink shadow-floating"
      >
        {children(() => menu.current?.hidePopover())}
      </div>
    </>
  )
}
