import {
  ApiError,
  BadSignature,
  CheckFailed,
  OutsideAgreement,
  OverNetworkFee,
  WalletDeclined,
} from '@ordbook/sdk/errors.ts'
import { wordsOf } from '@ordbook/sdk/wallets/words-of.ts'
import { money } from '../format/format.ts'
import { failed, refusalText } from '../strings/errors.ts'

/** Puts an error into words for the visitor. They name the cause, and say that no money moved where that is certain. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return refusalText(error)
  if (isUnanswered(error)) return failed.unreachable
  if (error instanceof TypeError || error instanceof ReferenceError) return failed.fault
  if (error instanceof WalletDeclined) return failed.declined
  if (error instanceof BadSignature) return signatureText(error)
  if (error instanceof OverNetworkFee)
    return failed.networkFeeRose(money(error.maxNetworkSats), money(error.networkSats))
  if (error instanceof CheckFailed && !(error instanceof OutsideAgreement))
    return `${failed.mismatch} (${withoutIds(error.message)})`
  return withoutIds(wordsOf(error)) || failed.wallet
}

/** Whether a request got no answer. Each browser has words of its own for it. */
export const isUnanswered = (error: unknown): boolean =>
  (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) ||
  (error instanceof DOMException && error.name === 'TimeoutError')

/** A text whose ids and addresses of more than 16 characters are shortened in the middle. */
const withoutIds = (text: string): string =>
  text.replace(/\b(?=[a-z]*\d)[0-9a-z]{17,}\b/gi, (id) => `${id.slice(0, 4)}…${id.slice(-4)}`)

/** Names wallet, step and fault. Nothing was sent: every signature is verified before the market gets one. */
function signatureText({ wallet, step, fault, message }: BadSignature): string {
  const who = wallet ?? 'The wallet'
  if (fault === 'missing' || fault === 'other-key')
    return `${who} did not sign ${step} with the key of your address. If it is on another account, switch back, or connect again. Nothing was sent.`
  if (fault === 'unsafe') return withoutIds(message)
  return `${who} did not sign ${step} as asked. Nothing was sent. (${withoutIds(message)})`
}
