import { shortAddress } from '@ordbook/web-ui/format/format.ts'
import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { BUTTON, Button, KINDS } from '@ordbook/web-ui/ui/basics.tsx'
import { WalletIcon } from '@ordbook/web-ui/ui/icons.tsx'
import { useId, useRef } from 'react'

/** Connect button, or the account menu when signed in. */
export function Account() {
  const { account, choose, signOut } = useSession()
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  if (account === undefined) return <span className="w-24" />
  if (account === null)
    return (
      <Button kind="main" className="max-sm:!px-3" onClick={() => choose(true)}>
        <WalletIcon className="max-sm:hidden" />
        {words.connect}
      </Button>
    )
  const item = 'flex min-h-11 w-full items-center rounded-control px-3 text-left hover:bg-raised'
  const close = () => menu.current?.hidePopover()
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        data-account
        aria-label={words.walletMenu(shortAddress(account.ordinalsAddress))}
        className={`${BUTTON} ${KINDS.plain} !px-3 font-mono !text-caption`}
      >
        <WalletIcon className="text-base" />
        <span className="hidden sm:inline">{shortAddress(account.ordinalsAddress)}</span>
      </button>
      {/* A native popover handles Escape, outside clicks and focus. */}
      <div
        ref={menu}
        id={id}
        popover="auto"
        className="panel fixed inset-auto top-[calc(var(--bar-height)+8px)] right-3 m-0 w-64 p-1.5 text-ink shadow-floating"
      >
        <Link to="/wallet" className={item} onClick={close}>
          {words.portfolio}
        </Link>
        <Link to="/wallet" search={{ tab: 'sessions' }} className={item} onClick={close}>
          {words.sessions}
        </Link>
        <button type="button" className={item} onClick={() => void signOut()}>
          {words.signOut}
        </button>
      </div>
    </>
  )
}
