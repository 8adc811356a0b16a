import type { Signed } from '@ordbook/signer/requests.ts'

export interface Sent extends Signed {
  feeSats: number
  /** A transfer into escrow must not enter a mempool without its settlement. */
  transfers?: true
}
