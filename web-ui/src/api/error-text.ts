import {
  ApiError,
  BadSignature,
  CheckFailed,
  InvalidResponse,
  OutsideAgreement,
  OverNetworkFee,
  SubmitUncertain,
  WalletDeclined,
} from '@ordbook/sdk/errors.ts'
import { messageOf } from '@ordbook/sdk/wallets/message-of.ts'
import { money } from '../format/format.ts'
import { failed, refusalText } from '../strings/errors.ts'

/** Returns the text of an error for the visitor. */
export function errorText(error: unknown): string {
  if (error instanceof SubmitUncertain) return errorText(error.cause)
  if (error instanceof ApiError) return refusalText(error)
  if (isUnanswered(error)) return failed.unreachable
  if (error instanceof TypeError || error instanceof ReferenceError) return failed.fault
  if (error instanceof WalletDeclined) return failed.declined
  if (error instanceof BadSignature) return signatureText(error)
  if (error instanceof OverNetworkFee)
    return failed.networkFeeRose(money(error.maxNetworkSats), money(error.networkSats))
  if (error instanceof InvalidResponse) return failed.invalidResponse
  if (error instanceof CheckFailed && !(error instanceof OutsideAgreement))
    return `${failed.mismatch} (${withoutIds(error.message)})`
  return withoutIds(messageOf(error)) || failed.wallet
}

/** Returns true if a request got no response. Browsers word this error differently. */
export const isUnanswered = (error: unknown): boolean =>
  (error instanceof SubmitUncertain && isUnanswered(error.cause)) ||
  (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) ||
  (error instanceof DOMException && error.name === 'TimeoutError')

/** Shortens long ids and addresses. */
const withoutIds = (text: string): string =>
  text.replace(/\b(?=[a-z]*\d)[0-9a-z]{17,}\b/gi, (id) => `${id.slice(0, 4)}…${id.slice(-4)}`)

/** Signatures are verified before submission, so after a bad signature nothing was sent. */
function signatureText({ wallet, step, fault, message }: BadSignature): string {
  const who = wallet ?? 'The wallet'
  if (fault === 'missing' || fault === 'other-key')
    return `${who} did not sign ${step} with the key of your address. If the wallet is on another account, switch back, or connect again. Nothing was sent.`
  if (fault === 'unsafe') return withoutIds(message)
  return `${who} did not sign ${step} as requested. Nothing was sent. (${withoutIds(message)})`
}
