import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { signedPsbtOf } from '@ordbook/bitcoin/prepared-psbt.ts'
import { psbtOf, signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import type { Tx } from '@ordbook/bitcoin/transaction.ts'
import type { InputToSign, SigningRequest } from '../wallet.ts'
import { asBadSignature } from './bad-signature.ts'
import { type Plan, type PlannedStep, takeStep } from './plan.ts'

/** A PSBT for the wallet, for one or more steps of a plan. */
export interface Prompt extends SigningRequest {
  layout: Layout
  places: number[]
  /**
   * Extracts and verifies the signatures of a signed PSBT. Returns the signed PSBT of each step. `wallet` is its name for errors. Throws
   * BadSignature.
   */
  take(walletPsbt: string, wallet?: string): string[]
}

/**
 * Returns the PSBTs of a plan for the wallet, in order. Legs signed SINGLE|ANYONECANPAY are combined into one PSBT at the position of the
 * first. Their digests commit to one input and its output at any position (BIP-341).
 */
export function promptsOf({ steps }: Plan): Prompt[] {
  const places = steps.flatMap((step, place) => (isOpenLeg(step) ? [place] : []))
  if (places.length < 2 || !areDistinct(places.map((place) => steps[place]!)))
    return steps.map((step, place) => promptOf(step, place))
  const [first, ...others] = places
  return steps.flatMap((step, place) => {
    if (place === first) return [mergedPrompt(steps, places)]
    return others.includes(place) ? [] : [promptOf(step, place)]
  })
}

/** Whether a leg can be part of another transaction: its signature commits to a single input and output only. */
function isOpenLeg({ layout, request }: PlannedStep): boolean {
  return (
    request.sighash === SIGHASH.SINGLE_ANYONECANPAY &&
    layout.inputs.length === 1 &&
    layout.outputs.length === 1 &&
    layout.version === 2
  )
}

const areDistinct = (legs: readonly PlannedStep[]) =>
  new Set(legs.map(({ layout }) => formatOutpoint(layout.inputs[0]!.coin))).size === legs.length

function promptOf(step: PlannedStep, place: number): Prompt {
  const { psbtBase64, inputsToSign, layout } = step
  return {
    psbtBase64,
    inputsToSign,
    layout,
    places: [place],
    take: (walletPsbt, wallet) => [takeStep(step, walletPsbt, wallet)],
  }
}

function mergedPrompt(steps: readonly PlannedStep[], places: number[]): Prompt {
  const legs = places.map((place) => steps[place]!)
  const layout: Layout = {
    version: 2,
    inputs: legs.flatMap((leg) => leg.layout.inputs),
    outputs: legs.flatMap((leg) => leg.layout.outputs),
  }
  const request = { indexes: legs.map((_, n) => n), sighash: SIGHASH.SINGLE_ANYONECANPAY }
  const previous = new Map<string, Tx>(legs.flatMap((leg) => [...leg.previous]))
  const name = `${legs[0]!.name} and ${legs.length - 1} more`
  return {
    psbtBase64: psbtOf(layout, request, previous),
    inputsToSign: inputsOf(legs),
    layout,
    places,
    take(walletPsbt, wallet) {
      const mergedStep = { name, layout, request }
      const found = asBadSignature(
        () => signaturesFrom(walletPsbt, layout, request),
        walletPsbt,
        mergedStep,
        wallet,
      )
      // Verify each leg separately, as the market does.
      return legs.map((leg, n) => {
        const own = signedPsbtOf(leg.layout, leg.request, new Map([[0, found.get(n)!]]), leg.previous)
        return takeStep(leg, own, wallet)
      })
    },
  }
}

function inputsOf(legs: readonly PlannedStep[]): InputToSign[] {
  const entries = new Map<string, InputToSign>()
  for (const [n, { inputsToSign }] of legs.entries())
    for (const { signingIndexes: _, ...signer } of inputsToSign) {
      const key = JSON.stringify(signer)
      const entry = entries.get(key) ?? { ...signer, signingIndexes: [] }
      entry.signingIndexes.push(n)
      entries.set(key, entry)
    }
  return [...entries.values()]
}
