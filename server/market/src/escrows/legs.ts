import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { escrowCoinOf, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { MAX_FLOORS, type Signer } from '@ordbook/signer/requests.ts'
import type { LegRow } from './leg-queries.ts'

/** The leg of the terms of a listing or a counter. */
export const legOf = (terms: TransferTerms & { generation: number }): LegRow => ({
  outpoint: formatOutpoint(escrowCoinOf(terms)),
  generation: terms.generation,
})

/** The legs that the signer no longer signs, with the lowest generation that it still signs. */
export async function endedOf<Leg extends LegRow>(
  signer: Signer,
  legs: readonly Leg[],
): Promise<(Leg & { floor: number })[]> {
  const ended: (Leg & { floor: number })[] = []
  for (let at = 0; at < legs.length; at += MAX_FLOORS) {
    const part = legs.slice(at, at + MAX_FLOORS)
    const floors = await signer.floors(part.map((leg) => leg.outpoint))
    for (const [i, leg] of part.entries()) {
      const { floor } = floors[i]!
      if (leg.generation < floor) ended.push({ ...leg, floor })
    }
  }
  return ended
}
