import type { ErrorCode } from '@ordbook/contract/errors.ts'
import type { ApiError } from '@ordbook/sdk/errors.ts'
import type { REFUSALS } from './refusals.ts'

/** Texts of pages and components that failed. */
export const failed = {
  page: 'This page did not load',
  notFound: 'There is no such page',
  toCollections: 'Explore collections',
  newVersion: 'The market may have been updated. Load the page again.',
  unreachable: 'Could not reach the market. Nothing was sent. Try again once you are connected.',
  fault: 'Something went wrong in this page. Load it again.',
  declined: 'Cancelled. Nothing was signed.',
  sold: (when: string, price: string) => `Sold ${when} for ${price}. You were not charged.`,
  mismatch: 'This transaction does not match what you were shown. Nothing was signed.',
  networkFeeRose: (shown: string, now: string) =>
    `The network fee rose from ${shown} to ${now}. Nothing was signed. Look at the new bill, and try again.`,
  wallet: 'The wallet refused.',
  other: (code: string | null) =>
    `The market did not take this${code === null ? '' : ` (${code})`}. Look at the page again before you repeat it.`,
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
