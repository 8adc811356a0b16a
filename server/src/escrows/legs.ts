import { MOST_FLOORS, type Signer } from '@ordbook/signer/requests.ts'
import type { LegRow } from './leg-queries.ts'

/** Those of these legs that the signer signs no more. */
export async function endedOf<Leg extends LegRow>(signer: Signer, legs: readonly Leg[]): Promise<Leg[]> {
  const ended: Leg[] = []
  for (let at = 0; at < legs.length; at += MOST_FLOORS) {
    const part = legs.slice(at, at + MOST_FLOORS)
    const floors = await signer.floors(part.map((leg) => leg.outpoint))
    ended.push(...part.filter((leg, i) => leg.generation < floors[i]!.floor))
  }
  return ended
}
