import type { Answer } from '@ordbook/sdk/operations.ts'

export type Inscription = Answer<'getInscription'>
export type Membership = Inscription['collections'][number]

/** Creator royalty in basis points, by the side that pays it. */
export interface Royalty {
  buyerBps: number
  sellerBps: number
}
