import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { payWith } from '@ordbook/bitcoin/coins.ts'
import { signSchnorr, toXOnly, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { psbtOf, signaturesFrom, verifySignature } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { buildExit, type Exit } from '@ordbook/bitcoin/trade/exit.ts'
import { type Coin, keyWitness, sighashOf, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildPassthrough, type EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { CheckFailed } from './errors.ts'
import { signOne } from './signing.ts'
import { assertNetwork } from './verify/answer-checks.ts'
import { asCheckFailed, assert } from './verify/assert.ts'
import { type Owner, ordinalsSpendOf, paymentSpendOf } from './verify/owner.ts'
import type { InputToSign, Wallet } from './wallet.ts'

export interface ExitTerms {
  escrows: readonly (Outpoint & {
    valueSats: number
    form: EscrowForm
    /** The market's co-sign key: x-only, hex. */
    cosignKey: string
  })[]
  /** Coins of the payment address that may pay the fee. If empty, the last sats of a single escrow coin pay. */
  coins: readonly (Outpoint & { valueSats: number })[]
  feeRateSatVb: number
  /** Maximum network fee in sats, for a fee rate from an untrusted source. */
  maxNetworkSats?: number
  /** Without coins: minimum value of the inscription's output, one more than the offset of its sat. */
  leastSats?: number
  /** Full previous transactions by txid, to verify the coins. Included in the PSBT for wallets that need them. */
  previous?: ReadonlyMap<string, Tx>
}

export interface ExitPlan extends Exit {
  psbtBase64: string
  inputsToSign: InputToSign[]
  /** By input: the leaf hash that tweaks the key path of an escrow of the published form. */
  keyPaths: ReadonlyMap<number, Uint8Array>
}

/**
 * Plans an exit without the market. All inputs and outputs are the owner's. The coins can be untrusted, because taproot signatures commit
 * to them. Throws CheckFailed.
 */
export function planExit(owner: Owner, wish: ExitTerms): ExitPlan {
  const names = wish.escrows.map(formatOutpoint)
  assert(
    names.length > 0 && new Set(names).size === names.length,
    'an exit needs at least one escrow coin, and no duplicates',
  )
  const ordinals = ordinalsSpendOf(owner)
  const escrows = wish.escrows.map(({ txid, vout, valueSats, form, cosignKey }) => {
    const marketKey = toXOnly(hexToBytes(cosignKey))
    const { script, leafHash } = asCheckFailed(() => buildPassthrough(ordinals, marketKey, form))
    return { coin: { txid, vout, valueSats, script }, form, marketKey, leafHash }
  })
  const build = (payments: readonly Coin[] | null) =>
    buildExit({
      escrows,
      owner: ordinals,
      from: payments && {
        payments,
        payer: paymentSpendOf(owner),
        changeScript: owner.paymentScript,
      },
      feeRateSatVb: wish.feeRateSatVb,
      ...(wish.leastSats === undefined ? {} : { leastSats: wish.leastSats }),
    })
  const exit = asCheckFailed(() => {
    if (wish.coins.length === 0) return build(null)
    const coins = wish.coins.map(({ txid, vout, valueSats }) => ({
      txid,
      vout,
      valueSats,
      script: owner.paymentScript,
    }))
    return payWith(coins, build).built
  })
  assertNetwork({ maxNetworkSats: wish.maxNetworkSats ?? exit.feeSats }, exit.feeSats)
  const { inputs } = exit.layout
  for (const { coin } of inputs) demandCreated(coin, wish.previous?.get(coin.txid))
  const byLeaf = inputs.flatMap(({ spend }, index) => (spend.by === 'exit' ? [index] : []))
  const paying = inputs.flatMap(({ role }, index) => (role === 'payment' ? [index] : []))
  const taprootPayment = inputs.some(
    ({ role, spend }) => role === 'payment' && 'kind' in spend && spend.kind === 'p2tr',
  )
  return {
    ...exit,
    keyPaths: new Map(
      escrows.flatMap(({ form, leafHash }, index) => (form === 'published' ? [[index, leafHash]] : [])),
    ),
    psbtBase64: psbtOf(exit.layout, { indexes: [...byLeaf, ...paying] }, wish.previous),
    inputsToSign: [
      {
        address: owner.ordinalsAddress,
        publicKey: owner.ordinalsPublicKey,
        disableTweakSigner: true,
        signingIndexes: byLeaf,
      },
      {
        address: owner.paymentAddress,
        publicKey: owner.paymentPublicKey,
        ...(taprootPayment ? { disableTweakSigner: false } : {}),
        signingIndexes: paying,
      },
    ].filter(({ signingIndexes }) => signingIndexes.length > 0),
  }
}

/** Checks a coin against its previous transaction, if known. Throws CheckFailed. */
function demandCreated(coin: Coin, parent: Tx | undefined): void {
  if (!parent) return
  const output = parent.outputs[coin.vout]
  assert(
    txidOf(parent) === coin.txid &&
      output !== undefined &&
      output.valueSats === coin.valueSats &&
      equalBytes(output.script, coin.script),
    `${formatOutpoint(coin)} does not match its transaction: check its value, its form and the market's key`,
  )
}

/**
 * Returns the transaction of a signed exit. The published form requires the untweaked private key of the ordinals address, because PSBTs
 * have no field for its key path. Throws CheckFailed.
 */
export function finishExit(
  { layout, inputsToSign, keyPaths }: ExitPlan,
  signedPsbt: string | null,
  ordinalsPrivateKey?: Uint8Array,
): Tx {
  const indexes = inputsToSign.flatMap(({ signingIndexes }) => signingIndexes)
  const signatures = asCheckFailed(() =>
    signedPsbt === null ? new Map<number, Uint8Array>() : signaturesFrom(signedPsbt, layout, { indexes }),
  )
  const tx = transactionOf(layout)
  for (const [index, leafHash] of keyPaths) {
    if (!ordinalsPrivateKey)
      throw new CheckFailed(
        `input ${index} is an escrow of the published form, which requires the private key of the ordinals address`,
      )
    const key = tweakPrivateKey(tweakPrivateKey(ordinalsPrivateKey), leafHash)
    const signature = signSchnorr(sighashOf(layout, index, SIGHASH.DEFAULT), key)
    asCheckFailed(() => verifySignature(signature, layout, index, SIGHASH.DEFAULT))
    signatures.set(index, signature)
  }
  for (const [index, { spend }] of layout.inputs.entries()) {
    const signature = signatures.get(index)!
    if (spend.by === 'exit') tx.inputs[index]!.witness = [signature, spend.leaf, spend.controlBlock]
    else if (spend.by === 'key') tx.inputs[index]!.witness = keyWitness(spend, signature)
  }
  return tx
}

/** Exits escrow without the market. Returns the signed transaction for broadcast. Throws CheckFailed and the wallet's errors. */
export async function exitEscrow(
  wallet: Wallet,
  wish: ExitTerms,
  ordinalsPrivateKey?: Uint8Array,
): Promise<{ tx: Tx; feeSats: number; changeSats: number }> {
  const plan = planExit(wallet, wish)
  const { inputsToSign, feeSats, changeSats } = plan
  const signed = inputsToSign.length === 0 ? null : await signOne(wallet, plan)
  return { tx: finishExit(plan, signed, ordinalsPrivateKey), feeSats, changeSats }
}
