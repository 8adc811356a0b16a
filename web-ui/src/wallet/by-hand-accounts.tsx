import { AccountCodes, accountTextIn } from '@ordbook/sdk/wallets/account-codes.ts'
import { accountsFrom, readAccountKeys } from '@ordbook/sdk/wallets/account-export.ts'
import type { Account, Accounts } from '@ordbook/sdk/wallets/adapter.ts'
import { type FormEvent, useRef, useState } from 'react'
import { useSettings } from '../api/settings.tsx'
import { Button, Field, INPUT } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { CodeScanner } from './code-scanner.tsx'

const NOTHING: Accounts = {
  ordinals: { address: '', publicKey: '' },
  payment: { address: '', publicKey: '' },
}

/** Form for the addresses and keys of an external wallet. A wallet export can fill it in. */
export function AskAccounts({ done, cancel }: { done(accounts: Accounts): void; cancel(): void }) {
  const [accounts, setAccounts] = useState(NOTHING)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    done(accounts)
  }
  /** An origin does not apply to an edited key. */
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
    <Sheet open title="Your addresses" onClose={cancel} width={768}>
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
              PSBTs will include the key origins {accounts.ordinals.origin} and {accounts.payment.origin}, so
              that a hardware wallet can find its keys and recognize change.
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

function FromExport({ onAccounts }: { onAccounts(accounts: Accounts): void }) {
  const { market } = useSettings()
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState('')
  const [isScanning, setScanning] = useState(false)
  const [problem, setProblem] = useState('')
  const read = async (exported: string) => {
    const data = new FormData(form.current!)
    const of = (name: string) => String(data.get(name)).trim()
    const network = market?.addressNetwork ?? 'mainnet'
    try {
      const keys = readAccountKeys(await accountTextIn(exported.trim()), network, of('fingerprint'))
      onAccounts(accountsFrom(keys, Number(of('place')), network))
      setProblem('')
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  const addScan = (scanned: string) => {
    const exported = joined(text, scanned)
    setScanning(false)
    setText(exported)
    void read(exported)
  }
  return (
    <form
      ref={form}
      className="grid gap-4 rounded-lg border border-line p-4"
      onSubmit={(event) => {
        event.preventDefault()
        void read(text)
      }}
    >
      <Field
        label="Account keys of your wallet"
        hint="Output descriptors, [fingerprint/path]xpub, the JSON that the wallet exports, or its QR codes (ur:crypto-account, BBQr); taproot first, then payments. A hardware wallet needs this to sign."
      >
        <textarea
          value={text}
          onChange={(event) => setText(event.target.value)}
          rows={3}
          required
          className={`${INPUT} py-2 font-mono text-xs`}
        />
      </Field>
      <Button aria-pressed={isScanning} onClick={() => setScanning(!isScanning)}>
        Scan the account
      </Button>
      {isScanning && (
        <CodeScanner
          startReader={() => new AccountCodes()}
          other="This code is not an account. Export the account as ur:crypto-account, BBQr, descriptor or xpub."
          instead="paste the export"
          onDone={addScan}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Address index" hint="0 is the first address.">
          <input name="place" type="number" min={0} max={9999} defaultValue={0} required className={INPUT} />
        </Field>
        <Field label="Master fingerprint" hint="For an xpub without its origin.">
          <input name="fingerprint" pattern="[0-9a-fA-F]{8}" title="8 hex digits" className={INPUT} />
        </Field>
      </div>
      <Button type="submit">Fill in the addresses</Button>
      <div aria-live="polite" className="text-sm text-down">
        {problem}
      </div>
    </form>
  )
}

/** Combines scans. A complete export replaces earlier text; a single key is appended. */
function joined(before: string, scanned: string): string {
  const isWhole = [before, scanned].some((each) => /[\n{]/.test(each.trim()))
  return isWhole || before.includes(scanned) ? scanned : [before.trim(), scanned].filter(Boolean).join('\n')
}
