import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { escrowCoinOf, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { MAX_FLOORS, type Signer } from '@ordbook/signer/requests.ts'
import type { LegRow } from './leg-queries.ts'

export const legOf = (terms: TransferTerms & { generation: number }): LegRow => ({
  outpoint: formatOutpoint(escrowCoinOf(terms)),
  generation: terms.generation,
})

/** Returns the legs below the signer's minimum generation. */
export async function endedOf<Leg extends LegRow>(
  signer: Signer,
  legs: readonly Leg[],
): Promise<(Leg & { floor: number })[]> {
  const ended: (Leg & { floor: number })[] = []
  for (let at = 0; at < legs.length; at += MAX_FLOORS) {
    const batch = legs.slice(at, at + MAX_FLOORS)
    const floors = await signer.floors(batch.map((leg) => leg.outpoint))
    for (const [i, leg] of batch.entries()) {
      const { floor } = floors[i]!
      if (leg.generation < floor) ended.push({ ...leg, floor })
    }
  }
  return ended
}
