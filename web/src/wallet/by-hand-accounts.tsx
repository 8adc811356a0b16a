import { accountTextIn } from '@ordbook/sdk/wallets/account-codes.ts'
import { accountsFrom, readAccountKeys } from '@ordbook/sdk/wallets/account-export.ts'
import type { Account, Accounts } from '@ordbook/sdk/wallets/adapter.ts'
import { type FormEvent, useState } from 'react'
import { useSettings } from '../settings.tsx'
import { Button, Field, INPUT } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'

const NOTHING: Accounts = {
  ordinals: { address: '', publicKey: '' },
  payment: { address: '', publicKey: '' },
}

/**
 * Asks once for the addresses of a wallet outside of the browser and their keys. An export of the wallet fills them in, with the
 * origins that hardware wallets find their keys by.
 */
export function AskAccounts({ done, cancel }: { done(accounts: Accounts): void; cancel(): void }) {
  const [accounts, setAccounts] = useState(NOTHING)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    done(accounts)
  }
  /** An address or key that is typed is no more the one whose origin is known. */
  const change = (which: keyof Accounts, typed: Partial<Account>) => {
    const { origin: _, ...account } = accounts[which]
    setAccounts({ ...accounts, [which]: { ...account, ...typed } })
  }
  const fields = (which: keyof Accounts) => ({
    address: {
      value: accounts[which].address,
      onChange: (event: { target: { value: string } }) =>
        change(which, { address: event.target.value.trim() }),
      required: true,
      className: INPUT,
    },
    publicKey: {
      value: accounts[which].publicKey,
      onChange: (event: { target: { value: string } }) =>
        change(which, { publicKey: event.target.value.trim() }),
      pattern: '([0-9a-f]{64}|0[23][0-9a-f]{64})',
      title: '64 or 66 hex digits',
      required: true,
      className: INPUT,
    },
  })
  const [ordinals, payment] = [fields('ordinals'), fields('payment')]
  return (
    <Sheet open title="Your addresses" onClose={cancel} wide>
      <div className="grid gap-6">
        <FromExport onAccounts={setAccounts} />
        <form className="grid gap-4" onSubmit={submit}>
          <Field label="Ordinals address" hint="Taproot: bc1p…">
            <input {...ordinals.address} />
          </Field>
          <Field label="Its public key" hint="Hex; Sparrow shows it with the address.">
            <input {...ordinals.publicKey} />
          </Field>
          <Field label="Payment address">
            <input {...payment.address} />
          </Field>
          <Field label="Its public key">
            <input {...payment.publicKey} />
          </Field>
          {accounts.ordinals.origin && (
            <p className="text-sm text-soft">
              Your PSBTs will name the keys {accounts.ordinals.origin} and {accounts.payment.origin}, so that
              a hardware wallet finds them and knows its change.
            </p>
          )}
          <Button kind="main" type="submit">
            Continue
          </Button>
        </form>
      </div>
    </Sheet>
  )
}

/** Reads what a wallet exports of its accounts, and fills in the addresses at one place of them. */
function FromExport({ onAccounts }: { onAccounts(accounts: Accounts): void }) {
  const { market } = useSettings()
  const [problem, setProblem] = useState('')
  const read = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const of = (name: string) => String(data.get(name)).trim()
    const network = market?.addressNetwork ?? 'mainnet'
    try {
      const keys = readAccountKeys(await accountTextIn(of('export')), network, of('fingerprint'))
      onAccounts(accountsFrom(keys, Number(of('place')), network))
      setProblem('')
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <form className="grid gap-4 rounded-lg border border-line p-4" onSubmit={read}>
      <Field
        label="Account keys of your wallet"
        hint="Output descriptors, [fingerprint/path]xpub, the JSON that the wallet exports, or the text of its QR codes (ur:crypto-account, BBQr); taproot first, then payments. A hardware wallet needs this to sign."
      >
        <textarea name="export" rows={3} required className={`${INPUT} py-2 font-mono text-xs`} />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Which address" hint="0 is the first one.">
          <input name="place" type="number" min={0} max={9999} defaultValue={0} required className={INPUT} />
        </Field>
        <Field label="Master fingerprint" hint="For an xpub without its origin.">
          <input name="fingerprint" pattern="[0-9a-fA-F]{8}" title="8 hex digits" className={INPUT} />
        </Field>
      </div>
      <Button type="submit">Fill in the addresses</Button>
      <div aria-live="polite" className="text-sm text-bad">
        {problem}
      </div>
    </form>
  )
}
