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
      const known = Map.groupBy(await listRareSatsIn(tx, inputs), formatOutpoint)
      const moves = flowRareSats(transactions, {
        height,
        subsidySats: subsidyAt(height, halvingInterval),
        locate: (outpoint) =>
          (known.get(formatOutpoint(outpoint)) ?? []).map((row) => ({ ...row, offset: row.satOffset })),
      })
      await moveRareSats(tx, height, moves)
    },
    undo: undoRareSats,
  }
}
