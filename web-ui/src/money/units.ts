/** `fiat`: the currency that the operator configured. */
export type Unit = 'btc' | 'sats' | 'fiat'

export interface Fiat {
  currency: string
  perBtc: number
}
