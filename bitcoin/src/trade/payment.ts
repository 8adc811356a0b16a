import type { KeySpend } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf, sumSats } from '../sats.ts'
import { type Coin, type Layout, type LayoutInput, signedVsizeOf } from './layout.ts'

/** Minimum change output. Smaller change is added to the fee. */
export const MINIMUM_CHANGE_SATS = 546

/** Payment coins of an address, and the change script. */
export interface Payer {
  payments: readonly Coin[]
  payer: KeySpend
  changeScript: Uint8Array
}

export function paymentInputs({ payments, payer }: Payer): LayoutInput[] {
  return payments.map((coin) => ({ role: 'payment', coin, signer: 'buyer', spend: { by: 'key', ...payer } }))
}

export interface Paid {
  layout: Layout
  vsize: number
  feeSats: number
  changeSats: number
}

/**
 * Adds change to a layout. Payments must cover `costSats` and the fee. Change below `MINIMUM_CHANGE_SATS` is added to the fee. Throws
 * `coins-insufficient`.
 */
export function withChange(
  base: Layout,
  from: Pick<Payer, 'payments' | 'changeScript'>,
  costSats: number,
  feeRateSatVb: number,
): Paid {
  const paidSats = sumSats(from.payments.map((coin) => coin.valueSats))
  const withOutput = (changeSats: number): Layout => ({
    ...base,
    outputs: [...base.outputs, { role: 'change', valueSats: changeSats, script: from.changeScript }],
  })
  const changeVsize = signedVsizeOf(withOutput(0))
  const changeSats = paidSats - costSats - feeOf(changeVsize, feeRateSatVb)
  if (changeSats >= MINIMUM_CHANGE_SATS)
    return {
      layout: withOutput(changeSats),
      vsize: changeVsize,
      feeSats: paidSats - costSats - changeSats,
      changeSats,
    }
  const vsize = signedVsizeOf(base)
  const feeSats = paidSats - costSats
  const missingSats = feeOf(vsize, feeRateSatVb) - feeSats
  if (missingSats > 0) throw insufficient(missingSats)
  return { layout: base, vsize, feeSats, changeSats: 0 }
}

export const insufficient = (missingSats: number, more: Record<string, number> = {}) =>
  new BitcoinError('coins-insufficient', `needs ${missingSats.toLocaleString('en')} more sats`, {
    missingSats,
    ...more,
  })
