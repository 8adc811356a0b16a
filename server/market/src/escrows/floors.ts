import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { LAST_GENERATION } from '@ordbook/bitcoin/trade/generation.ts'
import type { Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict, throttled } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { listUnsentFloors, lockGeneration, setIssued, setSignerFloors } from './queries.ts'

/** Most floors in one call to the signer. */
const BATCH_SIZE = 1000

/**
 * Sends minimum generations to the signer. The database stores them first, so a crash or an outage of the signer only delays them: the jobs
 * send them again. Minimums only rise, and sending one twice has no effect.
 */
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

/**
 * Number of generations that an escrow coin may use without waiting, and seconds per further generation. The 2,147,483,646 generations of a
 * sequence last 680 years even if a wallet prepares prices without signing.
 */
const GENERATIONS_AT_ONCE = 1000
const GENERATION_SECONDS = 10

/**
 * Issues a new generation for a leg on each escrow coin, above every generation that the signer has seen. A restored database may not have
 * the latest generation or the coin itself, and a generation has one price. Throws throttled if the coin had too many generations for its
 * age, and conflict if none is left.
 */
export async function issueGenerations(
  { signer, clock }: Pick<Context, 'signer' | 'clock'>,
  tx: Transaction,
  escrows: readonly Outpoint[],
): Promise<number[]> {
  if (escrows.length === 0) return []
  const known = await signer.floors(escrows.map(formatOutpoint))
  const issued: number[] = []
  for (const [i, escrow] of escrows.entries()) {
    const { next, createdAt } = (await lockGeneration(tx, escrow)) ?? { next: 0, createdAt: clock() }
    const ageSeconds = Math.max(clock().getTime() - createdAt.getTime(), 0) / 1000
    if (next >= GENERATIONS_AT_ONCE + Math.floor(ageSeconds / GENERATION_SECONDS))
      throw throttled(
        'escrow-prices-limited',
        `The escrow coin ${formatOutpoint(escrow)} was prepared for ${next} prices: list it at one of them, or prepare it again later`,
        GENERATION_SECONDS,
      )
    const generation = Math.max(next, known[i]!.next)
    if (generation > LAST_GENERATION)
      throw conflict(
        'escrow-exhausted',
        `The escrow coin ${formatOutpoint(escrow)} has had its last price: take it back, or move it to a new escrow (POST /escrows/reclaim, /escrows/move)`,
      )
    await setIssued(tx, escrow, generation)
    issued.push(generation)
  }
  return issued
}
