import type { AmountText } from '../../money/amount-text.ts'
import type { Unit } from '../../money/units.ts'
import { ticketActions, useTicket } from '../progress/tickets.ts'

/** Returns the stored fields of a ticket, or `initial` if they are invalid. */
export function useFields<T>(
  subject: string,
  parse: (value: unknown) => T | null,
  initial: T,
): [T, (next: T) => void] {
  const ticket = useTicket(subject)
  return [parse(ticket?.fields) ?? initial, (next) => ticketActions.edit(subject, next)]
}

const UNITS: readonly Unit[] = ['btc', 'sats', 'fiat']
const membersOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null

function amountIn(value: unknown): AmountText | null {
  const { text, unit: kept, filledSats, wasSats } = membersOf(value) ?? {}
  const unit = UNITS.find((unit) => unit === kept)
  if (typeof text !== 'string' || !unit) return null
  return {
    text,
    unit,
    ...(Number.isSafeInteger(filledSats) ? { filledSats: filledSats as number } : {}),
    ...(Number.isSafeInteger(wasSats) ? { wasSats: wasSats as number } : {}),
  }
}

const amountsIn = (value: unknown): Record<string, AmountText> =>
  Object.fromEntries(
    Object.entries(membersOf(value) ?? {}).flatMap(([id, each]) => {
      const amount = amountIn(each)
      return amount ? [[id, amount]] : []
    }),
  )

/** `isAnyCoin`: coins of other offers can pay too. */
export interface OfferFields {
  price: AmountText
  hours: number
  isAnyCoin?: boolean
}

export function offerFieldsIn(value: unknown): OfferFields | null {
  const { price, hours, isAnyCoin } = membersOf(value) ?? {}
  const amount = amountIn(price)
  if (!amount || typeof hours !== 'number') return null
  return { price: amount, hours, ...(isAnyCoin === true ? { isAnyCoin } : {}) }
}

/** Fields of listings. `again`: prices typed again. */
export interface ListFields {
  /** Ids of the chosen inscriptions. */
  chosen: readonly string[]
  prices: Record<string, AmountText>
  again: Record<string, AmountText>
  days: number
}

export function listFieldsIn(value: unknown): ListFields | null {
  const { chosen, prices, again, days } = membersOf(value) ?? {}
  if (typeof days !== 'number') return null
  return {
    chosen: Array.isArray(chosen) ? chosen.filter((id) => typeof id === 'string') : [],
    prices: amountsIn(prices),
    again: amountsIn(again),
    days,
  }
}
