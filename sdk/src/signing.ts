import { assert } from './verify/assert.ts'
import type { Plan } from './verify/plan.ts'
import { promptsOf } from './verify/prompts.ts'
import type { OnSigned, SigningRequest, Wallet } from './wallet.ts'

/**
 * Signs a plan, in one request if the wallet supports it. Returns the PSBTs of the steps with only the plan's signatures, each verified
 * immediately. Throws BadSignature and the wallet's errors.
 */
export async function signPlan(wallet: Wallet, plan: Plan): Promise<string[]> {
  const prompts = promptsOf(plan)
  const verified = new Map<number, string[]>()
  const verify: OnSigned = (n, psbtBase64) => {
    if (!verified.has(n)) verified.set(n, prompts[n]!.take(psbtBase64, wallet.name))
  }
  const requests = prompts.map(({ psbtBase64, inputsToSign, layout }) => ({
    psbtBase64,
    inputsToSign,
    layout,
  }))
  for (const [n, psbtBase64] of (await signAll(wallet, requests, verify)).entries()) verify(n, psbtBase64)
  const signed: string[] = []
  for (const [n, { places }] of prompts.entries())
    for (const [k, place] of places.entries()) signed[place] = verified.get(n)![k]!
  return signed
}

/** Signs requests, in one prompt if the wallet supports it. Returns PSBTs in request order. Throws CheckFailed on a count mismatch. */
export async function signAll(
  wallet: Wallet,
  requests: readonly SigningRequest[],
  onSigned: OnSigned,
): Promise<string[]> {
  if (wallet.signPsbts) {
    const signed = await wallet.signPsbts(requests, onSigned)
    assert(signed.length === requests.length, 'the wallet returned a different number of PSBTs')
    return signed
  }
  const signed: string[] = []
  for (const [n, { psbtBase64, inputsToSign }] of requests.entries()) {
    signed.push(await wallet.signPsbt(psbtBase64, inputsToSign))
    onSigned(n, signed[n]!)
  }
  return signed
}

/** Signs a planned transaction and returns its PSBT. */
export const signOne = async (
  wallet: Wallet,
  { psbtBase64, inputsToSign, layout }: SigningRequest,
): Promise<string> =>
  (await signAll(wallet, [{ psbtBase64, inputsToSign, ...(layout && { layout }) }], () => {}))[0]!

export function withSigned<S extends { psbtBase64: string }>(
  steps: readonly S[],
  signed: readonly string[],
): S[] {
  return steps.map((step, n) => ({ ...step, psbtBase64: signed[n]! }))
}

export const plain = ({ txid, vout, valueSats }: { txid: string; vout: number; valueSats: number }) => ({
  txid,
  vout,
  valueSats,
})
