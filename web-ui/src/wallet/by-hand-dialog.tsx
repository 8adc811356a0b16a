import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { messagePsbtOf } from '@ordbook/bitcoin/message-psbt.ts'
import { signatureTrouble } from '@ordbook/bitcoin/signature-trouble.ts'
import { WalletRefused } from '@ordbook/sdk/errors.ts'
import type { SigningRequest } from '@ordbook/sdk/wallet.ts'
import type { Account, Accounts } from '@ordbook/sdk/wallets/adapter.ts'
import { withOrigins } from '@ordbook/sdk/wallets/origins.ts'
import { useEffect, useMemo, useState } from 'react'
import { useSettings } from '../api/settings.tsx'
import { Button } from '../ui/basics.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { setHandWork } from './by-hand.ts'
import { AskAccounts } from './by-hand-accounts.tsx'
import { Answer, PsbtCarrier } from './psbt-carrier.tsx'

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

/** Dialogs to sign with an external wallet. */
export function ByHand() {
  const [task, setTask] = useState<Task | null>(null)
  useEffect(() => {
    const startTask = <T,>(make: (done: (value: T) => void, fail: (error: Error) => void) => Task) =>
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
      accounts: () => startTask<Accounts>((done, fail) => ({ kind: 'accounts', done, fail })),
      message: (account, message) =>
        startTask<string>((done, fail) => ({ kind: 'message', account, message, done, fail })),
      psbt: (request, place) =>
        startTask<string>((done, fail) => ({ kind: 'psbt', request, place, done, fail })),
    })
    return () => setHandWork(null)
  }, [])
  if (!task) return null
  const cancel = () => task.fail(new WalletRefused('You closed the dialog. Nothing was signed.'))
  if (task.kind === 'accounts') return <AskAccounts done={task.done} cancel={cancel} />
  if (task.kind === 'message') return <MessageByHand key={task.account.address} task={task} cancel={cancel} />
  return <PsbtByHand key={task.place.number} task={task} cancel={cancel} />
}

function MessageByHand({
  task: { account, message, done },
  cancel,
}: {
  task: Extract<Task, { kind: 'message' }>
  cancel(): void
}) {
  const { market } = useSettings()
  const [isPsbt, setPsbt] = useState(false)
  const psbt = useMemo(() => {
    const network = market?.addressNetwork ?? 'mainnet'
    const script = scriptOfAddress(account.address, network)
    return withOrigins(messagePsbtOf(script, message, hexToBytes(account.publicKey)), [account], network)
  }, [market, account, message])
  return (
    <Sheet open title="Sign this message" onClose={cancel} width={isPsbt ? 768 : 512}>
      <div className="grid gap-4">
        <p className="text-sm text-soft">
          With the key of <span className="font-mono break-all">{account.address}</span>
          {isPsbt
            ? ': sign input 0 of this PSBT. It represents the message below and can never be sent.'
            : ', as a BIP-322 signature: in Sparrow, Tools, Sign/Verify Message.'}
        </p>
        <pre className="overflow-x-auto rounded-lg bg-raised p-3 text-xs whitespace-pre-wrap">{message}</pre>
        {isPsbt ? (
          <>
            <PsbtCarrier psbtBase64={psbt} name="ordbook-sign-in.psbt" onSigned={done} />
            <Button onClick={() => setPsbt(false)}>Sign as a message instead</Button>
          </>
        ) : (
          <>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => void navigator.clipboard.writeText(message)}>Copy the message</Button>
              <Button onClick={() => setPsbt(true)}>Sign as a PSBT instead</Button>
            </div>
            <Answer label="The signature" onAnswer={done} />
          </>
        )}
      </div>
    </Sheet>
  )
}

function PsbtByHand({ task, cancel }: { task: Extract<Task, { kind: 'psbt' }>; cancel(): void }) {
  const { request, place, done } = task
  const indexes = request.inputsToSign.flatMap((each) => each.signingIndexes)
  const sighash = request.inputsToSign.find((each) => each.sigHash !== undefined && each.sigHash > 1)?.sigHash
  const [problem, setProblem] = useState('')
  const checkSigned = (signed: string) => {
    const found = problemOf(signed, request.psbtBase64, indexes)
    if (found) setProblem(found)
    else done(signed)
  }
  return (
    <Sheet open title={`Sign PSBT ${place.number} of ${place.of}`} onClose={cancel} width={768}>
      <div className="grid gap-4">
        <p className="text-sm text-soft">
          Sign input{indexes.length > 1 ? 's' : ''} {indexes.join(', ')}
          {sighash === undefined ? '' : ` with sighash ${sighash}, as set in the PSBT`}. Do not finalise or
          broadcast it.
        </p>
        <PsbtCarrier
          psbtBase64={request.psbtBase64}
          name={`ordbook-${place.number}-of-${place.of}.psbt`}
          onSigned={checkSigned}
        />
        <div aria-live="assertive" className="text-sm text-down">
          {problem}
        </div>
      </div>
    </Sheet>
  )
}

/** Returns the problem of a signed PSBT, or an empty string. */
function problemOf(signed: string, sent: string, indexes: readonly number[]): string {
  try {
    const problem = signatureTrouble(signed, sent, indexes)
    return problem ? `The signed PSBT was rejected: ${problem}.` : ''
  } catch (error) {
    return `The signed PSBT was rejected: ${error instanceof Error ? error.message : String(error)}.`
  }
}
