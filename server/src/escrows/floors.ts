import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Signer } from '@ordbook/signer/requests.ts'
import type { Context } from '../context.ts'
import { listUntoldFloors, setFloorsTold } from './queries.ts'

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
 * The lowest generation that a new leg on an escrow coin may have, by what the signer has seen. A database from a backup may
 * not know the latest, and no generation serves two prices.
 */
export async function leastGeneration(signer: Signer, escrow: Outpoint): Promise<number> {
  const [known] = await signer.floors([formatOutpoint(escrow)])
  return known!.floor === 0 ? 0 : known!.floor + 1
}
