import { type FormEvent, useState } from 'react'
import { parseAmount } from '../format.ts'
import { Button, Field, INPUT, Price, Select } from '../ui/basics.tsx'

export const VALIDITY = [
  [6, '6 hours'],
  [24, '1 day'],
  [168, '1 week'],
  [720, '30 days'],
  [2160, '90 days'],
] as const
export type Hours = (typeof VALIDITY)[number][0]

/** A price and its validity. */
export function OfferForm({
  label,
  submit,
  stepSats,
  leastSats,
  hint,
  busy,
  onSubmit,
}: {
  label: string
  submit: string
  /** A price is a whole number of these. */
  stepSats: number
  leastSats: number
  hint?: string
  busy: boolean
  onSubmit: (priceSats: number, hours: Hours) => void
}) {
  const [text, setText] = useState('')
  const [hours, setHours] = useState<Hours>(168)
  const [isSent, setSent] = useState(false)
  const sats = parseAmount(text, 'btc')
  const problem =
    sats === null
      ? 'an amount in BTC, like 0.0015'
      : sats < leastSats
        ? `at least ${leastSats} sats`
        : sats % stepSats !== 0
          ? `a multiple of ${stepSats} sats`
          : null
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (problem === null) onSubmit(sats!, hours)
  }
  return (
    <form onSubmit={send} className="grid gap-3" noValidate>
      <Field
        label={label}
        hint={
          isSent && problem
            ? undefined
            : (hint ?? 'Fees and the network come on top; you see all of it before you sign.')
        }
      >
        <input
          value={text}
          onChange={(event) => setText(event.target.value)}
          inputMode="decimal"
          placeholder="0.001"
          aria-invalid={isSent && problem !== null}
          className={INPUT}
        />
      </Field>
      <p aria-live="polite" className="text-sm">
        {isSent && problem ? (
          <span className="text-bad">It must be {problem}.</span>
        ) : (
          sats !== null && sats > 0 && <Price sats={sats} className="text-soft" />
        )}
      </p>
      <Field label="Expires in">
        <Select options={VALIDITY} value={hours} onChange={setHours} />
      </Field>
      <Button kind="main" type="submit" disabled={busy}>
        {submit}
      </Button>
    </form>
  )
}
