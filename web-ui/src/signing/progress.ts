import type { Intent } from './review.tsx'

/** Callbacks that report an action's progress to its page. */
export interface Progress {
  /** The market prepares the trade and the page checks it. */
  checks(about: Pick<Intent, 'title' | 'known' | 'settles'>): void
  /** The wallet has signed `signed` of `of` transactions. */
  signs(wallet: string, signed: number, of: number): void
  sends(): void
  /** The market has broadcast the settlement. */
  sent(txid: string): void
}
