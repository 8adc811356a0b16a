import type { ErrorCode } from '@ordbook/contract/errors.ts'
import type { ApiError } from '@ordbook/sdk/errors.ts'
import type { REFUSALS } from './refusals.ts'

/** Texts of pages and components that failed. */
export const failed = {
  page: 'This page did not load',
  notFound: 'Page not found',
  toCollections: 'Explore collections',
  newVersion: 'The market may have been updated. Reload the page.',
  unreachable: 'Could not reach the market. Nothing was sent. Try again once you are connected.',
  fault: 'Something went wrong. Reload the page.',
  declined: 'Cancelled. Nothing was signed.',
  sold: (when: string, price: string) => `Sold ${when} for ${price}. You were not charged.`,
  mismatch: 'This transaction does not match what you were shown. Nothing was signed.',
  networkFeeRose: (shown: string, now: string) =>
    `The network fee rose from ${shown} to ${now}. Nothing was signed. Check the new bill and try again.`,
  wallet: 'The wallet declined.',
  other: (code: string | null) =>
    `The market rejected this${code === null ? '' : ` (${code})`}. Reload the page before you try again.`,
} as const

let refusals: typeof REFUSALS = {}

/** Loads the texts of API errors, which most visits do not need. If that fails, the general text is used. */
export async function loadRefusals(): Promise<void> {
  const part = await import('./refusals.ts').catch(() => null)
  if (part) refusals = part.REFUSALS
}

const hasWords = (code: ApiError['code']): code is ErrorCode => code !== null && Object.hasOwn(refusals, code)
/** Form of an error code. Any other code is not shown to the visitor. */
const CODE = /^[a-z][a-z-]{0,39}$/

/** Text for an API error, by its code; otherwise a general text that includes the code. */
export function refusalText(refusal: Pick<ApiError, 'code' | 'retryAfterSeconds'>): string {
  const { code } = refusal
  if (!hasWords(code)) return failed.other(code !== null && CODE.test(code) ? code : null)
  const text = refusals[code]!
  return typeof text === 'string' ? text : text(refusal)
}
