import { dustLimitOf, type KeySpend, p2trScript } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { feeOf } from '../sats.ts'
import { checkSettlement } from './check.ts'
import { type Coin, feeOfLayout, type Layout, type LayoutInput, signedVsizeOf } from './layout.ts'
import { buildPassthrough, type EscrowForm } from './passthrough.ts'
import { type Payer, paymentInputs, withChange } from './payment.ts'

/** An escrow coin with the data that is needed to spend it. */
export interface EscrowCoin {
  coin: Coin
  form: EscrowForm
  /** M, x-only, as the leaf names it. */
  marketKey: Uint8Array
}

/** The facts of an exit: escrow coins back to their owner, with no market. */
export interface ExitTerms {
  /** All of this one address. */
  escrows: readonly EscrowCoin[]
  /** The ordinals address that receives each coin. */
  owner: KeySpend
  /** The owner's own coins for the fee; null: the fee is taken from the end of a single escrow coin. */
  from: Payer | null
  /** Without coins: least that the inscription's output must keep. Its dust limit is kept at any rate. */
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
 * The owner's exit from escrow without the market. The wallet form is spent with its exit leaf, which ordinary wallets sign. The published
 * form is spent by key path, whose key is the address's key tweaked again with the leaf, so it needs the private key. Signed DEFAULT or
 * ALL. Throws `key-mismatch` if a coin is not such an escrow of this owner, `coins-insufficient`, `payout-too-small`.
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
  if (base.outputs.length !== 1) throw new TypeError('without fee coins one escrow coin leaves at a time')
  const vsize = signedVsizeOf(base)
  const feeSats = feeOf(vsize, feeRateSatVb)
  const output = base.outputs[0]!
  const keptSats = output.valueSats - feeSats
  if (keptSats < Math.max(leastSats, dustLimitOf(ownerScript)))
    throw new BitcoinError(
      'payout-too-small',
      'the fee would take sats that the inscription needs: add a coin that pays it',
      { feeSats },
    )
  return {
    layout: { ...base, outputs: [{ ...output, valueSats: keptSats }] },
    vsize,
    feeSats,
    changeSats: 0,
  }
}

/** The ordinals script whose owner a witness of an exit leaf is; null for any other witness. */
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
    throw new BitcoinError(
      'key-mismatch',
      'the coin is not an escrow of this address and market in this form',
    )
  return {
    role: 'escrow',
    coin,
    signer: 'seller',
    spend: exit
      ? { by: 'exit', sellerKey, ...exit }
      : { by: 'key', kind: 'p2tr', publicKey: script.slice(2), internalKey: null, redeemScript: null },
  }
}
