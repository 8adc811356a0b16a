/** `fiat`: the currency that the operator configured. */
export type Unit = 'btc' | 'sats' | 'fiat'

export interface Fiat {
  currency: string
  perBtc: number
  /** The rate is too old to enter amounts. */
  isStale?: boolean
}
