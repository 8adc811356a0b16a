import { dustLimitOf, type KeySpend, p2trScript } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf } from '../sats.ts'
import { checkSettlement } from './check.ts'
import { type Coin, feeOfLayout, type Layout, type LayoutInput, signedVsizeOf } from './layout.ts'
import { buildPassthrough, type EscrowForm } from './passthrough.ts'
import { type Payer, paymentInputs, withChange } from './payment.ts'

export interface EscrowCoin {
  coin: Coin
  form: EscrowForm
  /** M, x-only. */
  marketKey: Uint8Array
}

/** Terms of an exit, which returns escrow coins to their owner without the market. */
export interface ExitTerms {
  /** Escrow coins of one address. */
  escrows: readonly EscrowCoin[]
  /** Key of the ordinals address. */
  owner: KeySpend
  /** Coins for the fee. If null, the fee is deducted from the single escrow coin. */
  from: Payer | null
  /** Minimum output value if the fee is deducted from it. */
  leastSats?: number
  feeRateSatVb: number
}

export interface Exit {
  layout: Layout
  vsize: number
  feeSats: number
  changeSats: number
}

/**
 * Builds an exit from escrow without the market, signed DEFAULT or ALL. The wallet form is spent with its exit leaf. The published form is
 * spent by key path and requires the private key. Throws `key-mismatch`, `coins-insufficient` or `payout-too-small`.
 */
export function buildExit({ escrows, owner, from, leastSats = 0, feeRateSatVb }: ExitTerms): Exit {
  const ownerScript = p2trScript(owner.publicKey)
  const base: Layout = {
    version: 2,
    inputs: [
      ...escrows.map((escrow) => exitInputOf(escrow, owner)),
      ...(from ? paymentInputs(from).map((input) => ({ ...input, signer: 'seller' as const })) : []),
    ],
    outputs: escrows.map(({ coin }) => ({
      role: 'recovery',
      valueSats: coin.valueSats,
      script: ownerScript,
    })),
  }
  if (from) {
    const exit = withChange(base, from, 0, feeRateSatVb)
    checkSettlement(exit.layout, {
      inscriptionInputs: [...escrows.keys()],
      ownerScript,
      feeSats: feeOfLayout(exit.layout),
    })
    return exit
  }
  if (base.outputs.length !== 1)
    throw new TypeError('an exit without fee coins can have only one escrow coin')
  const vsize = signedVsizeOf(base)
  const feeSats = feeOf(vsize, feeRateSatVb)
  const output = base.outputs[0]!
  const keptSats = output.valueSats - feeSats
  if (keptSats < Math.max(leastSats, dustLimitOf(ownerScript)))
    throw new BitcoinError(
      'payout-too-small',
      'the fee would leave too few sats for the inscription. Add a payment coin for the fee',
      { feeSats },
    )
  return {
    layout: { ...base, outputs: [{ ...output, valueSats: keptSats }] },
    vsize,
    feeSats,
    changeSats: 0,
  }
}

/** Returns the owner's script if the witness spends an exit leaf, or null. */
export function exitOwnerOf(witness: readonly Uint8Array[]): Uint8Array | null {
  const [, leaf, controlBlock] = witness
  const isExit =
    witness.length === 3 &&
    leaf!.length === 34 &&
    leaf![0] === 0x20 &&
    leaf![33] === 0xac &&
    controlBlock!.length === 65
  return isExit ? p2trScript(controlBlock!.slice(1, 33)) : null
}

function exitInputOf({ coin, form, marketKey }: EscrowCoin, owner: KeySpend): LayoutInput {
  const { script, sellerKey, exit } = buildPassthrough(owner, marketKey, form)
  if (!equalBytes(script, coin.script))
    throw new BitcoinError('key-mismatch', 'the coin is not an escrow of this form, address and market')
  return {
    role: 'escrow',
    coin,
    signer: 'seller',
    spend: exit
      ? { by: 'exit', sellerKey, ...exit }
      : { by: 'key', kind: 'p2tr', publicKey: script.slice(2), internalKey: null, redeemScript: null },
  }
}
