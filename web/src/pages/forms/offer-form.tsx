import { useSettings } from '@ordbook/web-ui/api/settings.tsx'
import { filledAmount, satsIn } from '@ordbook/web-ui/money/amount-text.ts'
import type { Guard, WayOut } from '@ordbook/web-ui/rules/guards.ts'
import { useAct } from '@ordbook/web-ui/signing/act.tsx'
import { ticket } from '@ordbook/web-ui/strings/trade.ts'
import { Comparison, type Reference } from '@ordbook/web-ui/ticket/comparison.tsx'
import { AmountField, useFirstUnit } from '@ordbook/web-ui/ticket/fields/amount-field.tsx'
import { type OfferFields, offerFieldsIn, useFields } from '@ordbook/web-ui/ticket/fields/fields.ts'
import { Options } from '@ordbook/web-ui/ticket/fields/options.tsx'
import { QuickChoices } from '@ordbook/web-ui/ticket/fields/quick-choices.tsx'
import { GuardList } from '@ordbook/web-ui/ticket/guard-list.tsx'
import { useGuarded } from '@ordbook/web-ui/ticket/guarded.ts'
import { Failure } from '@ordbook/web-ui/ticket/progress/failure.tsx'
import { Button, Field, Select } from '@ordbook/web-ui/ui/basics.tsx'
import { type FormEvent, type ReactNode, useState } from 'react'

export const VALIDITY = [
  [6, '6 hours'],
  [24, '1 day'],
  [168, '1 week'],
  [720, '30 days'],
  [2160, '90 days'],
] as const
export type Hours = (typeof VALIDITY)[number][0]

/** Returns the fields of an offer ticket and its price in sats. */
export function useOffer(subject: string, stepSats: number) {
  const { fiat } = useSettings()
  const unit = useFirstUnit()
  const empty: OfferFields = { price: { text: '', unit }, hours: 168 }
  const [fields, setFields] = useFields(subject, offerFieldsIn, empty)
  return { fields, setFields, empty, sats: satsIn(fields.price, fiat, stepSats) }
}

interface Props {
  subject: string
  label: string
  submit: string
  stepSats: number
  leastSats: number
  hint?: string
  guards?: readonly Guard[]
  ways?: Partial<Record<WayOut, () => void>>
  choices?: readonly Reference[]
  compared?: readonly Reference[]
  /** True to let the visitor choose which coins pay. */
  hasCoins?: boolean
  bill?: ReactNode
  /** True if the bill does not match the price yet. */
  isQuoting?: boolean
  reassurance?: string
  onSubmit: (priceSats: number, hours: Hours) => void
}

export function OfferForm(props: Props) {
  const { subject, submit, stepSats, leastSats, guards = [], ways, choices = [], compared = [] } = props
  const { bill, isQuoting = false, reassurance, onSubmit } = props
  const { busy } = useAct(subject)
  const { fiat } = useSettings()
  const { fields, setFields, sats } = useOffer(subject, stepSats)
  const hours = VALIDITY.find(([each]) => each === fields.hours)?.[0] ?? 168
  // An empty field after the offer was placed is not an error.
  const [sentText, setSentText] = useState<string | null>(null)
  const guarded = useGuarded(submit, guards, String(sats))
  const isWaiting = isQuoting && sats !== null && sats >= leastSats
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSentText(fields.price.text)
    if (sats !== null && sats >= leastSats && !isWaiting) guarded.press(() => onSubmit(sats, hours))
  }
  const choose = (chosen: number) => {
    setFields({ ...fields, price: filledAmount(chosen, fields.price.unit, fiat) })
  }
  return (
    <form onSubmit={send} className="grid gap-3" noValidate>
      <AmountField
        label={props.label}
        value={fields.price}
        onChange={(price) => {
          setSentText(null)
          setFields({ ...fields, price })
        }}
        stepSats={stepSats}
        leastSats={leastSats}
        isSent={sentText === fields.price.text}
        hint={bill === undefined ? (props.hint ?? ticket.feesOnTop) : props.hint}
      />
      <QuickChoices of={choices.filter((choice) => (choice.sats ?? 0) >= leastSats)} onChoose={choose} />
      {compared.length > 0 && <Comparison sats={sats} of={compared} />}
      <GuardList
        guards={guards}
        ways={{
          ...ways,
          'other-coin': fields.isAnyCoin ? () => setFields({ ...fields, isAnyCoin: false }) : undefined,
        }}
      />
      <Options now={ticket.until(VALIDITY.find(([each]) => each === hours)![1])}>
        <Field label={ticket.expiresIn}>
          <Select
            options={VALIDITY}
            value={hours}
            onChange={(next) => setFields({ ...fields, hours: next })}
          />
        </Field>
        {props.hasCoins && (
          <Field label={ticket.coins}>
            <Select
              options={COINS}
              value={fields.isAnyCoin ? 'any' : 'free'}
              onChange={(next) => setFields({ ...fields, isAnyCoin: next === 'any' })}
            />
          </Field>
        )}
      </Options>
      {sats !== null && sats >= leastSats && bill}
      <Button
        kind="main"
        large
        type="submit"
        disabled={busy !== null || guarded.isStopped}
        aria-disabled={isWaiting || undefined}
      >
        {guarded.label}
      </Button>
      <Failure subject={subject} />
      {reassurance && <p className="text-center text-caption text-soft">{reassurance}</p>}
    </form>
  )
}

const COINS = [
  ['free', ticket.freeCoins],
  ['any', ticket.anyCoins],
] as const
