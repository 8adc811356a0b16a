/** A unit in which amounts are shown and typed; fiat is the operator's currency. */
export type Unit = 'btc' | 'sats' | 'fiat'

export interface Fiat {
  currency: string
  perBtc: number
}
