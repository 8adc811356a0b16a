import type { Signed } from '@ordbook/signer/requests.ts'

/** A transaction of a package, with its fee. */
export interface Sent extends Signed {
  feeSats: number
  /** It brings an inscription into escrow, so it may not enter a mempool without its settlement. */
  transfers?: true
}
