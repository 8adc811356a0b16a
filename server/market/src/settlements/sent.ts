import type { Signed } from '@ordbook/signer/requests.ts'

export interface Sent extends Signed {
  feeSats: number
  /** True for a transfer into escrow, which must not enter a mempool without its settlement. */
  transfers?: true
}
