import type { ErrorCode } from '@ordbook/contract/errors.ts'
import type { ApiError } from '@ordbook/sdk/errors.ts'
import type { REFUSALS } from './refusals.ts'

export const failed = {
  page: 'This page did not load',
  notFound: 'Page not found',
  toCollections: 'Explore collections',
  outdated: 'This page is out of date',
  newVersion: 'The market was updated. Your cart and what you typed are kept. Reload the page.',
  loadsAgain: 'Could not reach the market. The page loads again by itself once the market responds.',
  unreachable: 'Could not reach the market. Nothing was sent. Try again once you are connected.',
  fault: 'Something went wrong. Reload the page.',
  declined: 'Cancelled. Nothing was signed.',
  sold: (when: string, price: string) => `Sold ${when} for ${price}. You were not charged.`,
  listedSome: (listed: number, of: number) => `${listed} of ${of} items were listed. The others failed:`,
  delistedSome: (delisted: number, of: number) =>
    `${delisted} of ${of} items were delisted. The others failed:`,
  mismatch: 'This transaction does not match what you were shown. Nothing was signed.',
  invalidResponse: 'The market sent an invalid response. Reload the page.',
  networkFeeRose: (shown: string, now: string) =>
    `The network fee rose from ${shown} to ${now}. Nothing was signed. Check the new bill and try again.`,
  wallet: 'The wallet declined the request. Try again, or use another wallet.',
  other: (code: string | null) =>
    `The market rejected the request${code === null ? '' : ` (${code})`}. Reload the page before you try again.`,
} as const

let refusals: typeof REFUSALS = {}

/** Loads the texts of API errors. If loading fails, `refusalText` returns a general text. */
export async function loadRefusals(): Promise<void> {
  const loaded = await import('./refusals.ts').catch(() => null)
  if (loaded) refusals = loaded.REFUSALS
}

const hasText = (code: ApiError['code']): code is ErrorCode => code !== null && Object.hasOwn(refusals, code)
/** Codes that do not match are hidden from the visitor. */
const CODE = /^[a-z][a-z-]{0,39}$/

/** Returns the text of an API error, or a general text with its code. */
export function refusalText(refusal: Pick<ApiError, 'code' | 'retryAfterSeconds'>): string {
  const { code } = refusal
  if (!hasText(code)) return failed.other(code !== null && CODE.test(code) ? code : null)
  const text = refusals[code]!
  return typeof text === 'string' ? text : text(refusal)
}
