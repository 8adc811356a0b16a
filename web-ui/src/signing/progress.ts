import type { Intent } from './review.tsx'

/** The progress of an action, as its page shows it. */
export interface Progress {
  /** The market prepares a trade, which is about this. */
  checks(about: Pick<Intent, 'title' | 'known' | 'settles'>): void
  /** The wallet has signed `signed` of `of` transactions. */
  signs(wallet: string, signed: number, of: number): void
  sends(): void
  /** The market has sent the transaction that completes it. */
  sent(txid: string): void
}
