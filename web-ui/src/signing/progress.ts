import type { Subject } from '../ticket/progress/machine.ts'

export interface Progress {
  /** Called while the market prepares the trade. */
  checks(about: Subject): void
  /** Called when the wallet has signed `signed` of `of` transactions. */
  signs(wallet: string, signed: number, of: number): void
  sends(): void
  sent(txid: string): void
}
