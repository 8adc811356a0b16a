/** An exchange rate of bitcoin. */
export interface Rate {
  perBtc: number
  at: Date
}

/** The rate in use, and one that differs too much until another poll confirms it. */
export interface KnownRate extends Rate {
  currency: string
  heldPerBtc: number | null
}

/** Pages do not show an older rate. */
const HIDDEN_MILLISECONDS = 86_400_000
/** A larger change needs a second poll. */
const MAX_CHANGE = 0.2
const MAX_PER_BTC = 1e9

/**
 * Parses the response of a rate source: a JSON object with the price of one bitcoin under the currency's code, and optionally its `time` in
 * Unix seconds, as mempool.space/api/v1/prices returns. Throws an Error with the reason.
 */
export function rateIn(text: string, currency: string, now: Date): Rate {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw new Error('The rate source returned no JSON.')
  }
  const member = (name: string): unknown =>
    typeof found === 'object' && found !== null && Object.hasOwn(found, name)
      ? Reflect.get(found, name)
      : undefined
  const perBtc = member(currency)
  if (typeof perBtc !== 'number' || !(perBtc > 0 && perBtc <= MAX_PER_BTC))
    throw new Error(`The rate source returned no ${currency} from 0 to ${MAX_PER_BTC}.`)
  const time = member('time')
  if (time !== undefined && !(Number.isSafeInteger(time) && Number(time) > 0))
    throw new Error('The rate source returned a time that is not in Unix seconds.')
  const at = time === undefined ? now.getTime() : Math.min(Number(time) * 1000, now.getTime())
  return { perBtc, at: new Date(at) }
}

/** Returns the rate in use after a poll. A jump is held until the next poll returns about the same. */
export function afterPoll(known: KnownRate | null, currency: string, polled: Rate): KnownRate {
  const accepted = { ...polled, currency, heldPerBtc: null }
  if (!isUsable(known, currency, polled.at) || isClose(polled.perBtc, known.perBtc)) return accepted
  const isConfirmed = known.heldPerBtc !== null && isClose(polled.perBtc, known.heldPerBtc)
  return isConfirmed ? accepted : { ...known, heldPerBtc: polled.perBtc }
}

const isClose = (perBtc: number, other: number) => Math.abs(perBtc / other - 1) <= MAX_CHANGE

/** Whether pages may show a rate: it is in the currency and at most a day old. */
export const isUsable = (known: KnownRate | null, currency: string, now: Date): known is KnownRate =>
  known?.currency === currency && now.getTime() - known.at.getTime() <= HIDDEN_MILLISECONDS
