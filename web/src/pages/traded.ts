import type { Answer } from '@ordbook/sdk/operations.ts'

/** An inscription as its page reads it. */
export type Inscription = Answer<'getInscription'>
export type Membership = Inscription['collections'][number]

/** The creator's share of a sale, in basis points, by the side that pays it. */
export interface Royalty {
  buyerBps: number
  sellerBps: number
}

/** The highest floor among an item's traits; null where none is for sale. */
export function traitFloorOf({ traits }: Membership): number | null {
  const floors = traits.flatMap(({ floorSats }) => (floorSats === null ? [] : [floorSats]))
  return floors.length > 0 ? Math.max(...floors) : null
}

/** The price of an inscription's last sale; null where none is known. */
export const lastSaleOf = ({ moves }: Inscription): number | null =>
  moves.toSorted((a, b) => b.height - a.height).find((move) => move.priceSats !== null)?.priceSats ?? null
