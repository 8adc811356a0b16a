import { visitorLocale } from './marks.ts'
import { parseAmount, type Typed } from './parse.ts'
import { amountTyped } from './typed.ts'
import type { Fiat, Unit } from './units.ts'

/** An amount in a field. */
export interface AmountText {
  text: string
  unit: Unit
  /** Of an amount that the page filled in: it is converted when the unit changes. */
  filledSats?: number | undefined
  /** The amount before a change of the unit that made it more than a thousand times larger or smaller. It must be confirmed. */
  wasSats?: number | undefined
}

/** A change of the unit by more than this factor must be confirmed. */
const MAX_FACTOR = 1000

/** Parses an amount in the visitor's locale. */
export const typedOf = (
  { text, unit, wasSats }: AmountText,
  fiat: Fiat | null,
  stepSats = 1,
): Typed | { kind: 'unconfirmed' } =>
  wasSats === undefined
    ? parseAmount(text, { unit, locale: visitorLocale, fiat, stepSats })
    : { kind: 'unconfirmed' }

/** Returns sats, or null if the amount is invalid or must be confirmed first. */
export function satsIn(value: AmountText, fiat: Fiat | null, stepSats = 1): number | null {
  const typed = typedOf(value, fiat, stepSats)
  return typed.kind === 'sats' ? typed.sats : null
}

/** An amount that the page fills in. */
export const filledAmount = (sats: number, unit: Unit, fiat: Fiat | null): AmountText => ({
  text: amountTyped(sats, unit, fiat),
  unit,
  filledSats: sats,
})

/** Changes the unit. Typed digits stay; an amount that the page filled in is converted. */
export function inUnit(value: AmountText, unit: Unit, fiat: Fiat | null): AmountText {
  if (value.unit === unit) return value
  if (value.filledSats !== undefined) return filledAmount(value.filledSats, unit, fiat)
  const next = { text: value.text, unit }
  const before = value.wasSats ?? satsIn(value, fiat)
  const after = satsIn(next, fiat)
  if (!before || !after) return next
  const factor = Math.max(before, after) / Math.min(before, after)
  return factor > MAX_FACTOR ? { ...next, wasSats: before } : next
}

/** Confirms an amount after a change of the unit. */
export const confirmed = ({ text, unit }: AmountText): AmountText => ({ text, unit })
