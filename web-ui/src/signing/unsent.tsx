import { useState } from 'react'
import { createStore } from '../state/create-store.ts'
import { escrow as words } from '../strings/escrow.ts'
import { Button } from '../ui/basics.tsx'
import { download } from '../ui/download.ts'
import { Sheet } from '../ui/sheet.tsx'

/** Signed transaction in hex that the market failed to broadcast. */
interface Unsent {
  title: string
  /** What the transaction does. */
  why: string
  /** Name of the downloaded file. */
  file: string
  transaction: string
}

const unsent = createStore<Unsent | null>(null)

/** Shows a signed transaction, so that the owner can broadcast it. */
export const showUnsent = unsent.set

export function UnsentTransaction() {
  const shown = unsent.use()
  const [isCopied, setCopied] = useState(false)
  if (!shown) return null
  const { title, why, file, transaction } = shown
  const close = () => {
    setCopied(false)
    showUnsent(null)
  }
  const copy = async () => {
    await navigator.clipboard.writeText(transaction)
    setCopied(true)
  }
  return (
    <Sheet
      open
      title={title}
      onClose={close}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          <span role="status" className="text-small text-up">
            {isCopied && words.copied}
          </span>
          <Button onClick={() => void copy()}>{words.copy}</Button>
          <Button kind="main" onClick={() => download(file, transaction)}>
            {words.download}
          </Button>
        </div>
      }
    >
      <div className="grid gap-3">
        <p>{why}</p>
        <textarea
          readOnly
          aria-label={words.transaction}
          value={transaction}
          rows={8}
          className="w-full rounded-button border border-edge bg-surface p-3 font-mono text-caption [overflow-wrap:anywhere]"
        />
      </div>
    </Sheet>
  )
}
