import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { assertPreparedPsbt, signedPsbtOf } from '@ordbook/bitcoin/prepared-psbt.ts'
import { psbtOf, signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { defaultSighashOf, type Layout, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { InputToSign } from '../wallet.ts'
import { asCheckFailed, assert } from './assert.ts'
import { asBadSignature } from './bad-signature.ts'
import type { Owner } from './owner.ts'

export interface AnsweredStep {
  stepIndex?: number
  signerAddress: string
  inputsToSign: InputToSign[]
  psbtBase64: string
}

/** A transaction rebuilt from the agreement, and the signatures it needs. */
export interface PlannedStep {
  name: string
  layout: Layout
  txid: string
  request: { indexes: number[]; sighash?: number }
  /** The rebuilt PSBT, sent to the wallet instead of the market's. */
  psbtBase64: string
  inputsToSign: InputToSign[]
  previous: ReadonlyMap<string, Tx>
}

/** Steps for the wallet to sign, in order. */
export interface Plan {
  steps: PlannedStep[]
}

/** A plan with the sats that leave the user's coins. */
export interface CostPlan extends Plan {
  costSats: number
}

/** A plan for several offers, with the sats that would leave the buyer's coins for each. */
export interface OfferPlan extends Plan {
  costsSats: number[]
}

/** A plan with the seller's proceeds in sats. */
export interface SalePlan extends Plan {
  payoutSats: number
}

/** A plan with the change of the user's balance in sats. */
export interface SwapPlan extends Plan {
  netSats: number
}

export interface Expected {
  name: string
  layout: Layout
  indexes: number[]
  sighash?: number
  /** Position in the response, if steps are numbered. */
  stepIndex?: number
}

/** Compares a step of the response, byte by byte, with the rebuilt transaction. Returns the step to sign. Throws CheckFailed. */
export function planStep(owner: Owner, step: AnsweredStep, expected: Expected): PlannedStep {
  const { name, layout, indexes, sighash, stepIndex } = expected
  const request = { indexes, ...(sighash === undefined ? {} : { sighash }) }
  assert(stepIndex === undefined || step.stepIndex === stepIndex, `${name}: the steps are not in order`)
  const prepared = asCheckFailed(() => assertPreparedPsbt(step.psbtBase64, layout, request), name)
  const requested = step.inputsToSign.flatMap((input) => input.signingIndexes).toSorted((a, b) => a - b)
  assert(
    requested.join() === indexes.toSorted((a, b) => a - b).join(),
    `${name}: the market requests signatures on the wrong inputs`,
  )
  for (const input of step.inputsToSign)
    for (const index of input.signingIndexes) demandSigner(owner, input, { ...expected, index })
  assert(
    [owner.ordinalsAddress, owner.paymentAddress].includes(step.signerAddress),
    `${name}: the signer is not an address of yours`,
  )
  const previous = new Map<string, Tx>()
  for (const [i, { previous: whole }] of prepared.inputs.entries())
    if (whole) previous.set(layout.inputs[i]!.coin.txid, whole)
  return ownStep(owner, expected, previous)
}

/** Builds a step to sign. `previous` has known full previous transactions by txid. */
export function ownStep(owner: Owner, expected: Expected, previous: ReadonlyMap<string, Tx>): PlannedStep {
  const { name, layout, indexes, sighash } = expected
  const request = { indexes, ...(sighash === undefined ? {} : { sighash }) }
  return {
    name,
    layout,
    txid: txidOf(transactionOf(layout)),
    request,
    psbtBase64: psbtOf(layout, request, previous),
    inputsToSign: inputsToSignOf(owner, expected),
    previous,
  }
}

/** Checks the address, key and sighash of an input's signing request. Throws CheckFailed. */
function demandSigner(owner: Owner, requested: InputToSign, at: Expected & { index: number }): void {
  const { name, layout, index, sighash } = at
  const { address, publicKey, untweaked } = signerOf(owner, layout, index)
  assert(
    (requested.address ?? address) === address && (requested.signerAddress ?? address) === address,
    `${name}: input ${index} is requested from the wrong address`,
  )
  // A wallet with a single address may report its key in two formats.
  const isOneAddress = owner.ordinalsAddress === owner.paymentAddress
  const publicKeys = isOneAddress ? [owner.ordinalsPublicKey, owner.paymentPublicKey] : [publicKey]
  assert(
    requested.publicKey === undefined || publicKeys.some((key) => isSameKey(requested.publicKey!, key)),
    `${name}: input ${index} is requested from the wrong key`,
  )
  assert(
    (requested.disableTweakSigner ?? untweaked) === untweaked,
    `${name}: input ${index} must be signed with ${untweaked ? 'the key before' : 'the key after'} the tweak`,
  )
  const expectedType = sighash ?? defaultSighashOf(layout.inputs[index]!.spend)
  assert(
    requested.sigHash === expectedType || (requested.sigHash === undefined && sighash === undefined),
    `${name}: input ${index} requests sighash ${requested.sigHash ?? 'default'} instead of ${expectedType}`,
  )
}

/** Compares keys in hex; `requested` may be x-only (BIP-340). */
const isSameKey = (requested: string, own: string) =>
  requested === own || (requested.length === 64 && own.length === 66 && own.endsWith(requested))

/** Returns the signer of an input: the ordinals address for an escrow coin, otherwise the address of the coin. */
function signerOf(owner: Owner, layout: Layout, index: number) {
  const { spend, coin } = layout.inputs[index]!
  const isOrdinals = spend.by !== 'key' || equalBytes(coin.script, owner.ordinalsScript)
  return {
    address: isOrdinals ? owner.ordinalsAddress : owner.paymentAddress,
    publicKey: isOrdinals ? owner.ordinalsPublicKey : owner.paymentPublicKey,
    /** A leaf of the wallet form contains the untweaked key. */
    untweaked: spend.by === 'exit' || (spend.by === 'escrow' && spend.form === 'wallet'),
  }
}

const isTaproot = ({ inputs }: Layout, index: number) => {
  const { spend } = inputs[index]!
  return spend.by !== 'key' || spend.kind === 'p2tr'
}

function inputsToSignOf(owner: Owner, { layout, indexes, sighash }: Expected): InputToSign[] {
  const entries = new Map<string, InputToSign & { signingIndexes: number[] }>()
  for (const index of indexes) {
    const { address, publicKey, untweaked } = signerOf(owner, layout, index)
    const key = `${address} ${untweaked}`
    const entry = entries.get(key) ?? {
      address,
      signerAddress: address,
      publicKey,
      ...(isTaproot(layout, index) ? { disableTweakSigner: untweaked } : {}),
      signingIndexes: [],
      sigHash: sighash ?? defaultSighashOf(layout.inputs[index]!.spend),
    }
    entry.signingIndexes.push(index)
    entries.set(key, entry)
  }
  return [...entries.values()]
}

/**
 * Extracts and verifies the plan's signatures. Returns them in new PSBTs, one per step. `walletPsbts` has one PSBT per step; `promptsOf`
 * needs fewer. Throws CheckFailed, or BadSignature if a signature is missing, wrong, or would let others spend an escrow coin.
 */
export function takeSignatures(plan: Plan, walletPsbts: readonly string[]): string[] {
  assert(walletPsbts.length === plan.steps.length, 'the wallet returned a different number of PSBTs')
  return plan.steps.map((step, n) => takeStep(step, walletPsbts[n]!))
}

/** Returns the signed PSBT of one step. `wallet` is its name for errors. Throws BadSignature. */
export function takeStep(step: PlannedStep, walletPsbt: string, wallet?: string): string {
  const { layout, request, previous } = step
  return asBadSignature(
    () => signedPsbtOf(layout, request, signaturesFrom(walletPsbt, layout, request), previous),
    walletPsbt,
    step,
    wallet,
  )
}
