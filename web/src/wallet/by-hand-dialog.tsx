import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { SigningRequest } from '@ordbook/sdk/wallet.ts'
import type { Account, Accounts } from '@ordbook/sdk/wallets/adapter.ts'
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { Button, Dialog, Field, INPUT } from '../ui/basics.tsx'
import { setHandWork } from './by-hand.ts'
import { PsbtCodes, PsbtScanner } from './psbt-codes.tsx'

type Task =
  | { kind: 'accounts'; done(accounts: Accounts): void; fail(error: Error): void }
  | {
      kind: 'message'
      account: Account
      message: string
      done(signature: string): void
      fail(error: Error): void
    }
  | {
      kind: 'psbt'
      request: SigningRequest
      place: { number: number; of: number }
      done(psbt: string): void
      fail(error: Error): void
    }

/** Shows what a wallet outside of the browser is to sign, and takes what it signed. */
export function ByHand() {
  const [task, setTask] = useState<Task | null>(null)
  useEffect(() => {
    const ask = <T,>(make: (done: (value: T) => void, fail: (error: Error) => void) => Task) =>
      new Promise<T>((resolve, reject) => {
        const end =
          <V,>(act: (value: V) => void) =>
          (value: V) => {
            setTask(null)
            act(value)
          }
        setTask(make(end(resolve), end(reject)))
      })
    setHandWork({
      accounts: () => ask<Accounts>((done, fail) => ({ kind: 'accounts', done, fail })),
      message: (account, message) =>
        ask<string>((done, fail) => ({ kind: 'message', account, message, done, fail })),
      psbt: (request, place) => ask<string>((done, fail) => ({ kind: 'psbt', request, place, done, fail })),
    })
    return () => setHandWork(null)
  }, [])
  if (!task) return null
  const cancel = () => task.fail(new WalletRefused('you closed the dialog'))
  if (task.kind === 'accounts') return <AskAccounts done={task.done} cancel={cancel} />
  if (task.kind === 'message')
    return (
      <Dialog title="Sign this message" onClose={cancel}>
        <div className="grid gap-4">
          <p className="text-sm text-soft">
            With the key of <span className="font-mono break-all">{task.account.address}</span>, as a BIP-322
            simple signature: in Sparrow, Tools, Sign/Verify Message.
          </p>
          <pre className="overflow-x-auto rounded-lg bg-sunk p-3 text-xs whitespace-pre-wrap">
            {task.message}
          </pre>
          <Button onClick={() => void navigator.clipboard.writeText(task.message)}>Copy the message</Button>
          <Answer label="The signature" onAnswer={task.done} />
        </div>
      </Dialog>
    )
  return <PsbtByHand key={task.place.number} task={task} cancel={cancel} />
}

function AskAccounts({ done, cancel }: { done(accounts: Accounts): void; cancel(): void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const of = (name: string) => String(data.get(name)).trim()
    done({
      ordinals: { address: of('ordinals'), publicKey: of('ordinalsKey') },
      payment: { address: of('payment'), publicKey: of('paymentKey') },
    })
  }
  const key = { pattern: '([0-9a-f]{64}|0[23][0-9a-f]{64})', title: '64 or 66 hex digits', required: true }
  return (
    <Dialog title="Your addresses" onClose={cancel}>
      <form className="grid gap-4" onSubmit={submit}>
        <Field label="Ordinals address" hint="Taproot: bc1p…">
          <input name="ordinals" required className={INPUT} />
        </Field>
        <Field label="Its public key" hint="Hex; Sparrow shows it with the address.">
          <input name="ordinalsKey" {...key} className={INPUT} />
        </Field>
        <Field label="Payment address">
          <input name="payment" required className={INPUT} />
        </Field>
        <Field label="Its public key">
          <input name="paymentKey" {...key} className={INPUT} />
        </Field>
        <Button kind="main" type="submit">
          Continue
        </Button>
      </form>
    </Dialog>
  )
}

function PsbtByHand({ task, cancel }: { task: Extract<Task, { kind: 'psbt' }>; cancel(): void }) {
  const { psbtBase64, inputsToSign } = task.request
  const bytes = useMemo(() => bytesOfBase64(psbtBase64)!, [psbtBase64])
  const [codes, setCodes] = useState<'shown' | 'scanned' | null>(null)
  const turn = (to: 'shown' | 'scanned') => setCodes(codes === to ? null : to)
  const name = `ordbook-${task.place.number}-of-${task.place.of}.psbt`
  const download = () => {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([bytes.slice().buffer], { type: 'application/octet-stream' }))
    link.download = name
    link.click()
    URL.revokeObjectURL(link.href)
  }
  const sighash = inputsToSign.find((each) => each.sigHash !== undefined && each.sigHash > 1)?.sigHash
  return (
    <Dialog title={`Sign PSBT ${task.place.number} of ${task.place.of}`} onClose={cancel} wide>
      <div className="grid gap-4">
        <p className="text-sm text-soft">
          Sign input{inputsToSign.flatMap((each) => each.signingIndexes).length > 1 ? 's' : ''}{' '}
          {inputsToSign.flatMap((each) => each.signingIndexes).join(', ')}
          {sighash === undefined ? '' : ` with sighash ${sighash}, which the PSBT asks for`}; do not finalise,
          do not broadcast.
        </p>
        <div className="flex flex-wrap gap-2">
          <Button kind="main" onClick={download}>
            Download {name}
          </Button>
          <Button onClick={() => void navigator.clipboard.writeText(psbtBase64)}>Copy as base64</Button>
          <Button aria-pressed={codes === 'shown'} onClick={() => turn('shown')}>
            Show as QR codes
          </Button>
          <Button aria-pressed={codes === 'scanned'} onClick={() => turn('scanned')}>
            Scan the signed PSBT
          </Button>
        </div>
        {codes === 'shown' && <PsbtCodes psbt={bytes} />}
        {codes === 'scanned' && <PsbtScanner onDone={task.done} />}
        <label className="grid gap-1.5 text-sm">
          <span className="font-medium">The signed file</span>
          <input
            type="file"
            accept=".psbt,.txt,application/octet-stream"
            className="text-soft file:mr-3 file:min-h-10 file:rounded-lg file:border file:border-edge file:bg-sheet file:px-4 file:text-sm file:font-medium file:text-ink hover:file:bg-sunk"
            onChange={async (event) => {
              const file = event.target.files?.[0]
              if (!file) return
              const content = new Uint8Array(await file.arrayBuffer())
              const isBinary = content[0] === 0x70 && content[4] === 0xff
              task.done(isBinary ? base64OfBytes(content) : new TextDecoder().decode(content).trim())
            }}
          />
        </label>
        <Answer label="Or the signed PSBT as base64" onAnswer={task.done} />
      </div>
    </Dialog>
  )
}

function Answer({ label, onAnswer }: { label: string; onAnswer(text: string): void }) {
  const [text, setText] = useState('')
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onAnswer(text.trim())
      }}
    >
      <Field label={label}>
        <textarea
          value={text}
          onChange={(event) => setText(event.target.value)}
          rows={4}
          required
          className={`${INPUT} py-2 font-mono text-xs`}
        />
      </Field>
      <Button kind="main" type="submit" disabled={text.trim() === ''}>
        Continue
      </Button>
    </form>
  )
}
