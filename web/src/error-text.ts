import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { ApiError, BadSignature, CheckFailed, OverBudget, WalletDeclined } from '@ordbook/sdk/errors.ts'
import { wordsOf } from '@ordbook/sdk/wallets/words-of.ts'

type Text = string | ((refusal: ApiError) => string)

const slowDown = ({ retryAfterSeconds }: ApiError) =>
  `Slow down a moment. Back in ${retryAfterSeconds ?? 60} s.`
const MARKET_MOVED = 'The market moved since you reviewed this. You were not charged. Review it again.'

/** Words of the pages for refusals of the market, by code. The text of the market speaks for every other code. */
const TEXTS: Partial<Record<ErrorCode, Text>> = {
  'rate-limited': slowDown,
  'connection-backlog-full': slowDown,
  'content-backlog-full': slowDown,
  'too-many-streams': slowDown,
  'session-required': 'Your session has ended. Connect your wallet again.',
  'session-ambiguous': 'Your session has ended. Connect your wallet again.',
  'collection-unknown': 'We could not find this collection. Check its name, or search.',
  'inscription-unknown': 'We could not find this item. Check the id, or search.',
  'proposal-unknown': 'We could not find this trade. Check the link, or look at the open trades.',
  'listing-not-buyable': 'It is no longer for sale. You were not charged.',
  'preflight-expired': MARKET_MOVED,
  'preflight-outdated': MARKET_MOVED,
  'fees-risen': 'Network fees rose since you reviewed this. You were not charged. Review it again.',
}

const isKnown = (code: ApiError['code']): code is ErrorCode => code !== null && Object.hasOwn(TEXTS, code)

/** Puts an error into words for the visitor. They name the cause, and say that no money moved where that is certain. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError && isKnown(error.code)) {
    const text = TEXTS[error.code]!
    return typeof text === 'string' ? text : text(error)
  }
  if (error instanceof WalletDeclined) return 'Cancelled. Nothing was signed.'
  if (error instanceof BadSignature) return signatureText(error)
  if (error instanceof CheckFailed && !(error instanceof OverBudget))
    return `This transaction does not match what you were shown. Nothing was signed. (${error.message})`
  return wordsOf(error) || 'The wallet refused.'
}

/** Names wallet, step and fault. Nothing was sent: every signature is verified before the market gets one. */
function signatureText({ wallet, step, fault, message }: BadSignature): string {
  const who = wallet ?? 'The wallet'
  if (fault === 'missing' || fault === 'other-key')
    return `${who} did not sign ${step} with the key of your address. If it is on another account, switch back, or connect again. Nothing was sent.`
  if (fault === 'unsafe') return message
  return `${who} did not sign ${step} as asked. Nothing was sent. (${message})`
}
