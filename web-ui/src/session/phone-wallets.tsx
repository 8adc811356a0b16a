import { useState } from 'react'
import { CART, linesIn } from '../rules/cart-lines.ts'
import { storedJson } from '../state/stored.ts'
import { connecting as words } from '../strings/wallet.ts'
import { BUTTON, KINDS } from '../ui/basics.tsx'
import { pageWithCart } from '../wallet/carried-cart.ts'
import { walletBrowsers } from '../wallet/open-in.ts'
import { ROW } from './wallet-row.tsx'

/** Links that open this page, with the cart, in the browser of a wallet app. */
export function PhoneWallets() {
  const [isCopied, setCopied] = useState(false)
  const ids = (storedJson(CART, linesIn) ?? []).map(({ inscriptionId }) => inscriptionId)
  const url = pageWithCart(location, ids)
  const copy = async () => {
    await navigator.clipboard.writeText(url)
    setCopied(true)
  }
  return (
    <div className="mb-4 grid gap-2">
      <p className="text-sm text-soft">{words.noWallet(ids.length > 0)}</p>
      {walletBrowsers.map(({ name, linkOf }, n) => (
        // iOS follows these links only from a pressed anchor.
        <a
          key={name}
          href={linkOf(url)}
          className={`${BUTTON} ${KINDS[n === 0 ? 'main' : 'plain']} min-h-12`}
        >
          {words.openIn(name)}
        </a>
      ))}
      <button type="button" className={ROW} onClick={() => void copy()}>
        <span className="grid">
          <span role="status" className="font-[560]">
            {isCopied ? words.copied : words.copyLink}
          </span>
          <span className="text-small text-soft">{words.paste}</span>
        </span>
      </button>
    </div>
  )
}
