import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/connect.ts'
import { issueGeneration, listUntoldFloors, setFloorsTold } from './queries.ts'

/** Most floors in one call to the signer. */
const PART = 1000

/**
 * Tells the signer which legs it signs no more. The database says so first, so a crash or a signer that is away only delays
 * it: the jobs tell it again. Floors only rise, and telling one twice changes nothing.
 */
export async function tellFloors({ sql, signer }: Pick<Context, 'sql' | 'signer'>): Promise<void> {
  for (;;) {
    const untold = await listUntoldFloors(sql, PART)
    if (untold.length === 0) return
    await signer.raiseFloors(
      untold.map(({ txid, vout, floor }) => ({ outpoint: formatOutpoint({ txid, vout }), floor })),
    )
    await setFloorsTold(sql, untold)
  }
}

/**
 * A new generation for a leg on each of these escrow coins, given out once and above all that the signer has seen. A database
 * from a backup may not know the latest, and no generation serves two prices.
 */
export async function issueGenerations(
  { signer }: Pick<Context, 'signer'>,
  tx: Transaction,
  escrows: readonly Outpoint[],
): Promise<number[]> {
  if (escrows.length === 0) return []
  const known = await signer.floors(escrows.map(formatOutpoint))
  const issued: number[] = []
  for (const [i, escrow] of escrows.entries()) {
    const { floor } = known[i]!
    issued.push(await issueGeneration(tx, escrow, floor === 0 ? 0 : floor + 1))
  }
  return issued
}
