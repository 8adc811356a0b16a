import { type FormEvent, useState } from 'react'
import { useAct } from '../act.tsx'
import type { Guard, WayOut } from '../guards.ts'
import { useSettings } from '../settings.tsx'
import { AmountField, satsIn, useFirstUnit } from '../ticket/amount-field.tsx'
import { Failure } from '../ticket/failure.tsx'
import { type OfferFields, offerFieldsIn, useFields } from '../ticket/fields.ts'
import { GuardList } from '../ticket/guard-list.tsx'
import { useGuarded } from '../ticket/guarded.ts'
import { Button, Field, Select } from '../ui/basics.tsx'
import { ticket } from '../words/trade.ts'

export const VALIDITY = [
  [6, '6 hours'],
  [24, '1 day'],
  [168, '1 week'],
  [720, '30 days'],
  [2160, '90 days'],
] as const
export type Hours = (typeof VALIDITY)[number][0]

/** The fields of an offer's ticket, and its price in sats. */
export function useOffer(subject: string, stepSats: number) {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const empty: OfferFields = { price: { text: '', unit }, hours: 168 }
  const [fields, setFields] = useFields(subject, offerFieldsIn, empty)
  return { fields, setFields, empty, sats: satsIn(fields.price, fiat, stepSats) }
}

interface Props {
  /** Of the ticket that keeps the fields. */
  subject: string
  label: string
  submit: string
  /** A price is a whole number of these. */
  stepSats: number
  leastSats: number
  hint?: string
  /** Of the present price. */
  guards?: readonly Guard[]
  ways?: Partial<Record<WayOut, () => void>>
  onSubmit: (priceSats: number, hours: Hours) => void
}

/** A price and its validity, with the guards of the price. */
export function OfferForm({
  subject,
  label,
  submit,
  stepSats,
  leastSats,
  hint,
  guards = [],
  ways,
  onSubmit,
}: Props) {
  const { busy } = useAct(subject)
  const { fields, setFields, sats } = useOffer(subject, stepSats)
  const hours = VALIDITY.find(([each]) => each === fields.hours)?.[0] ?? 168
  const [isSent, setSent] = useState(false)
  const guarded = useGuarded(submit, guards, String(sats))
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (sats !== null && sats >= leastSats) guarded.press(() => onSubmit(sats, hours))
  }
  return (
    <form onSubmit={send} className="grid gap-3" noValidate>
      <AmountField
        label={label}
        value={fields.price}
        onChange={(price) => setFields({ ...fields, price })}
        stepSats={stepSats}
        leastSats={leastSats}
        isSent={isSent}
        hint={hint ?? ticket.feesOnTop}
      />
      <GuardList guards={guards} {...(ways ? { ways } : {})} />
      <Field label={ticket.expiresIn}>
        <Select options={VALIDITY} value={hours} onChange={(next) => setFields({ ...fields, hours: next })} />
      </Field>
      <Failure subject={subject} />
      <Button kind="main" type="submit" disabled={busy !== null || guarded.isStopped}>
        {guarded.label}
      </Button>
    </form>
  )
}
