import { subsidyAt } from '@ordbook/bitcoin/inscription-flow.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { flowRareSats } from '@ordbook/bitcoin/rare-sats.ts'
import type { BlockConsumer } from './follower.ts'
import { listRareSatsIn, moveRareSats, undoRareSats } from './queries.ts'
import { RULES } from './rules.ts'

/** Follows the rare sats of a chain, from its first block on. */
export function rareSatsOnBlock(chain: string): BlockConsumer {
  const { halvingInterval } = RULES[chain]!
  return {
    name: 'rare sats',
    async apply(tx, { height, transactions }) {
      const inputs: Outpoint[] = transactions.slice(1).flatMap((each) => each.tx.inputs)
      const known = new Map<string, { bornHeight: number; offset: number }[]>()
      for (const row of await listRareSatsIn(tx, inputs)) {
        const key = formatOutpoint(row)
        known.set(key, [...(known.get(key) ?? []), { bornHeight: row.bornHeight, offset: row.satOffset }])
      }
      const moves = flowRareSats(transactions, {
        height,
        subsidySats: subsidyAt(height, halvingInterval),
        locate: (outpoint) => known.get(formatOutpoint(outpoint)) ?? [],
      })
      await moveRareSats(tx, height, moves)
    },
    undo: undoRareSats,
  }
}
