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

/** States of an order that may still settle: open, or with a settlement that is not sent yet. */
const LIVE: readonly string[] = ['active', 'accepting', 'filling']

/** The states that all such orders have. */
type Common = 'active' | 'cancelled' | 'expired' | 'invalidated'

type Clocked = Pick<Context, 'sql' | 'clock'>

interface Why {
  reason: string | null
  now: Date
  /** Of a counter: the lowest generation that the signer still signs. Absent: the next generation. */
  floor?: number
}

interface BackedOrderKind<State extends string> {
  table: BackedTable
  /** For each state, the states that may lead to it. No other move happens. */
  moves: Record<State, readonly State[]>
  /** What ends together with an order. */
  ended?(tx: Transaction, orderId: string, to: State, why: Why): Promise<void>
  /** Whether an order that ended because of its coins can become active again. */
  isRevivable(tx: Transaction, orderId: string, now: Date): Promise<boolean>
  /** Runs after an order came back with its coins. */
  revived?(tx: Transaction, orderId: string, now: Date): Promise<void>
  /** Replaces the lock of all active orders among the given ones. */
  lockActive?: DependentOrders['lockActive']
}

/** The life cycle of the orders of one table that depend on coins. */
export function backedOrders<State extends string>(kind: BackedOrderKind<State | Common>) {
  const { table, moves, ended, isRevivable, revived } = kind

  /**
   * Moves an order to a state and records the reason; returns false if its state did not allow it, because another transaction was first.
   * An ended order loses its backing coins, unless it can become active again.
   */
  async function move(tx: Transaction, orderId: string, to: State | Common, why: Why): Promise<boolean> {
    const isLive = LIVE.includes(to)
    const endedAt = isLive ? null : why.now
    const moved = await moveOrderState(tx, table, orderId, {
      from: moves[to],
      to,
      reason: why.reason,
      endedAt,
    })
    if (!moved || isLive) return moved
    if (to !== 'invalidated') await deleteBacking(tx, [orderId])
    await ended?.(tx, orderId, to, why)
    return true
  }

  /** Ends an order at the request of one side. Does nothing if a request repeats; throws conflict if the order ended otherwise. */
  async function end(
    { sql, clock }: Clocked,
    orderId: string,
    to: State | Common,
    reason: string,
  ): Promise<void> {
    const moved = await inTransaction(sql, (tx) => move(tx, orderId, to, { reason, now: clock() }))
    if (!moved && (await findOrderState(sql, table, orderId)) !== to)
      throw conflict('offer-not-active', 'This order is no longer active')
  }

  /** Ends the orders that have expired. */
  async function expire({ sql, clock }: Clocked): Promise<void> {
    for (const { orderId, expiresAt } of await listExpiredOrders(sql, table, clock()))
      await inTransaction(sql, (tx) =>
        move(tx, orderId, 'expired', { reason: 'its time is over', now: expiresAt }),
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
