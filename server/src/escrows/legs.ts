import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { escrowCoinOf, type TransferTerms } from '@ordbook/bitcoin/trade/listing.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import type { LegRow } from './leg-queries.ts'

/** The leg that the terms of a listing or a counter are about. */
export function legOf(terms: TransferTerms & { generation: number }): LegRow {
  return { outpoint: formatOutpoint(escrowCoinOf(terms)), generation: terms.generation }
}

/** Those of these legs that the signer signs no more. */
export async function endedOf<Leg extends LegRow>(signer: Signer, legs: readonly Leg[]): Promise<Leg[]> {
  if (legs.length === 0) return []
  const floors = await signer.floors(legs.map((leg) => leg.outpoint))
  return legs.filter((leg, i) => leg.generation < floors[i]!.floor)
}
