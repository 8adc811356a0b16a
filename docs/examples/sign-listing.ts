import type { Answer, SigningRequest } from '@ordbook/sdk'
import {
  type ListingAgreement,
  type MarketKeys,
  type Owner,
  takeSignatures,
  verifyListing,
} from '@ordbook/sdk/verify'

/** Signs the preflight of a listing in a wallet of any kind. Gives the signed PSBTs in the order of the answer. */
export async function signListing(
  owner: Owner,
  keys: MarketKeys,
  agreements: readonly ListingAgreement[],
  answer: Answer<'preflightListing'>,
  sign: (requests: SigningRequest[]) => Promise<string[]>,
): Promise<string[]> {
  const plan = verifyListing(owner, keys, agreements, answer) // throws CheckFailed
  const signed = await sign(plan.steps.map(({ psbtBase64, inputsToSign }) => ({ psbtBase64, inputsToSign })))
  const psbts = takeSignatures(plan, signed) // in the order of plan.steps
  return psbts
}
