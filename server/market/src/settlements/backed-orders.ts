import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { conflict } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import {
  type BackedTable,
  findOrderState,
  listExpiredOrders,
  listFinishedOrders,
  lockActiveOrders,
  moveOrderState,
} from './backed-order-queries.ts'
import { deleteBacking } from './backing-queries.ts'
import type { DependentOrders } from './dependent-orders.ts'

/** States in which an order can still settle. */
const LIVE: readonly string[] = ['active', 'accepting', 'filling']

type Common = 'active' | 'cancelled' | 'expired' | 'invalidated'

type Clocked = Pick<Context, 'sql' | 'clock'>

interface Why {
  reason: string | null
  now: Date
  /** For counter-offers: lowest generation that the signer may still sign. */
  floor?: number
}

interface BackedOrderKind<State extends string> {
  table: BackedTable
  /** Allowed previous states. */
  moves: Record<State, readonly State[]>
  ended?(tx: Transaction, orderId: string, to: State, why: Why): Promise<void>
  isRevivable(tx: Transaction, orderId: string, now: Date): Promise<boolean>
  revived?(tx: Transaction, orderId: string, now: Date): Promise<void>
  /** Overrides the lock on active orders. */
  lockActive?: DependentOrders['lockActive']
}

/** Returns the lifecycle functions of a table's orders. */
export function backedOrders<State extends string>(kind: BackedOrderKind<State | Common>) {
  const { table, moves, ended, isRevivable, revived } = kind

  /**
   * Changes the state of an order and records the reason. Returns false if the move is not allowed. Deletes the backing coins of an ended
   * order, except after `invalidated`.
   */
  async function move(tx: Transaction, orderId: string, to: State | Common, why: Why): Promise<boolean> {
    const isLive = LIVE.includes(to)
    const endedAt = isLive ? null : why.now
    const isMoved = await moveOrderState(tx, table, orderId, {
      from: moves[to],
      to,
      reason: why.reason,
      endedAt,
    })
    if (!isMoved || isLive) return isMoved
    if (to !== 'invalidated') await deleteBacking(tx, [orderId])
    await ended?.(tx, orderId, to, why)
    return true
  }

  /** Ends an order for one side. Idempotent. Throws `conflict` if it has ended otherwise. */
  async function end(
    { sql, clock }: Clocked,
    orderId: string,
    to: State | Common,
    reason: string,
  ): Promise<void> {
    const isMoved = await inTransaction(sql, (tx) => move(tx, orderId, to, { reason, now: clock() }))
    if (!isMoved && (await findOrderState(sql, table, orderId)) !== to)
      throw conflict('offer-not-active', 'This order is no longer active.')
  }

  async function expire({ sql, clock }: Clocked): Promise<void> {
    for (const { orderId, expiresAt } of await listExpiredOrders(sql, table, clock()))
      await inTransaction(sql, (tx) =>
        move(tx, orderId, 'expired', { reason: 'it has expired', now: expiresAt }),
      )
  }

  const dependents: DependentOrders = {
    lockActive: kind.lockActive ?? ((tx, orderIds) => lockActiveOrders(tx, table, orderIds)),
    listFinished: (sql, now) => listFinishedOrders(sql, table, now),
    end: (tx, orderId, why) => move(tx, orderId, 'invalidated', why),
    async revive(tx, orderId, now) {
      if (!(await isRevivable(tx, orderId, now))) return
      if (await move(tx, orderId, 'active', { reason: null, now })) await revived?.(tx, orderId, now)
    },
  }

  return { move, end, expire, dependents }
}
