import { type Plan, takeSignatures } from './verify/plan.ts'
import type { Wallet } from './wallet.ts'

/** Has the wallet sign a plan, at once where it can, and gives the PSBTs with the plan's signatures alone, step by step. */
export async function signPlan(wallet: Wallet, plan: Plan): Promise<string[]> {
  const requests = plan.steps.map(({ psbtBase64, inputsToSign }) => ({ psbtBase64, inputsToSign }))
  if (wallet.signPsbts && requests.length > 1) return takeSignatures(plan, await wallet.signPsbts(requests))
  const signed: string[] = []
  for (const { psbtBase64, inputsToSign } of requests)
    signed.push(await wallet.signPsbt(psbtBase64, inputsToSign))
  return takeSignatures(plan, signed)
}

/** Steps as they were answered, each with its signed PSBT in place of the market's. */
export function withSigned<S extends { psbtBase64: string }>(
  steps: readonly S[],
  signed: readonly string[],
): S[] {
  return steps.map((step, n) => ({ ...step, psbtBase64: signed[n]! }))
}

/** A coin as requests name it. */
export const plain = ({ txid, vout, valueSats }: { txid: string; vout: number; valueSats: number }) => ({
  txid,
  vout,
  valueSats,
})
