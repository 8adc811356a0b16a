import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict, throttled } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { listUnsentFloors, lockGeneration, setIssued, setSignerFloors } from './queries.ts'

const BATCH_SIZE = 1000

/** Sends stored minimum generations to the signer. The jobs retry after a crash or an outage. */
export async function sendFloors({ sql, signer }: Pick<Context, 'sql' | 'signer'>): Promise<void> {
  for (;;) {
    const unsent = await listUnsentFloors(sql, BATCH_SIZE)
    if (unsent.length === 0) return
    await signer.raiseFloors(
      unsent.map(({ txid, vout, floor }) => ({ outpoint: formatOutpoint({ txid, vout }), floor })),
    )
    await setSignerFloors(sql, unsent)
  }
}

/** Initial generations of an escrow coin, and seconds per further one. At that rate its 2,147,483,646 generations last 680 years. */
const GENERATIONS_AT_ONCE = 1000
const GENERATION_SECONDS = 10

/**
 * Issues a generation for a leg on each escrow coin, and runs `store` in the same transaction. Consults the signer, because a restored
 * database may lack recent generations. Throws `throttled` if a coin has used too many generations, and `conflict` if none is left.
 */
export async function issueGenerations<T>(
  { sql, signer, clock }: Pick<Context, 'sql' | 'signer' | 'clock'>,
  escrows: readonly Outpoint[],
  store: (tx: Transaction, generations: readonly number[]) => Promise<T>,
): Promise<T> {
  const signerFloors = await signer.floors(escrows.map(formatOutpoint))
  const next = signerFloors.map((each) => each.next)
  return inTransaction(sql, async (tx) => store(tx, await issueFrom(tx, escrows, { next, clock })))
}

/** `next`: the lowest generations of coins that the signer has not seen. */
async function issueFrom(
  tx: Transaction,
  escrows: readonly Outpoint[],
  { next: unseen, clock }: { next: readonly number[] } & Pick<Context, 'clock'>,
): Promise<number[]> {
  const issued: number[] = []
  for (const [i, escrow] of escrows.entries()) {
    const { next, createdAt } = (await lockGeneration(tx, escrow)) ?? { next: 0, createdAt: clock() }
    const ageSeconds = Math.max(clock().getTime() - createdAt.getTime(), 0) / 1000
    if (next >= GENERATIONS_AT_ONCE + Math.floor(ageSeconds / GENERATION_SECONDS))
      throw throttled(
        'escrow-prices-limited',
        `Escrow coin ${formatOutpoint(escrow)} has used ${next} prices, too many for its age. Submit one of the prepared prices or retry later`,
        GENERATION_SECONDS,
      )
    const generation = Math.max(next, unseen[i]!)
    if (generation > LAST_GENERATION)
      throw conflict(
        'escrow-exhausted',
        `Escrow coin ${formatOutpoint(escrow)} has no prices left. Reclaim it or move it to a new escrow (POST /escrows/reclaim, /escrows/move).`,
      )
    await setIssued(tx, escrow, generation)
    issued.push(generation)
  }
  return issued
}
