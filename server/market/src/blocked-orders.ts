import { inTransaction, type Transaction } from '@ordbook/db/driver/connect.ts'
import { blockedScripts } from './auth/challenge.ts'
import { type BlockedKind, type BlockedOrder, listOrdersOf } from './blocked-order-queries.ts'
import { moveCollectionOffer } from './collection-offers/lifecycle.ts'
import type { Context } from './context.ts'
import { moveListing } from './listings/lifecycle.ts'
import { moveOffer } from './offers/lifecycle.ts'
import { endProposal, moveAcceptance } from './proposals/lifecycle.ts'
import { revokeOrders } from './settlements/revocations.ts'

const REASON = 'the operator has blocked the wallet'

type Why = Parameters<typeof moveOffer>[3]

const CANCEL: Record<
  BlockedKind,
  (tx: Transaction, id: string, why: Why & { reason: string }) => Promise<boolean>
> = {
  listing: (tx, id, why) => moveListing(tx, id, 'cancelled', why),
  offer: (tx, id, why) => moveOffer(tx, id, 'cancelled', why),
  counter: (tx, id, why) => moveOffer(tx, id, 'cancelled', why),
  bid: (tx, id, why) => moveCollectionOffer(tx, id, 'cancelled', why),
  proposal: (tx, id, { now }) => endProposal(tx, id, 'cancelled', now),
  acceptance: (tx, id, why) => moveAcceptance(tx, id, 'cancelled', why),
}
/** Orders whose cancels the signer stores by id. Other jobs send the floors of legs, and revoke collection offers. */
const REVOKED: readonly BlockedKind[] = ['offer', 'proposal', 'acceptance']

/**
 * Job that cancels the open orders of blocked wallets, as their owner would. An order that is being settled is left; if that fails, the order
 * is open again, and the next run cancels it. Unblocking a wallet revives nothing.
 */
export async function endBlockedOrders(
  context: Pick<Context, 'sql' | 'clock' | 'signer' | 'config' | 'log'>,
): Promise<void> {
  const { sql, clock, config, log } = context
  const scripts = blockedScripts(config)
  if (scripts.length === 0) return
  const ended: BlockedOrder[] = []
  for (const order of await listOrdersOf(sql, scripts)) {
    const why = { reason: REASON, now: clock() }
    if (await inTransaction(sql, (tx) => CANCEL[order.kind](tx, order.id, why))) ended.push(order)
  }
  await revokeOrders(
    context,
    ended.flatMap(({ kind, id, expiresAt }) =>
      REVOKED.includes(kind) && expiresAt ? [{ id, expiresAt }] : [],
    ),
  )
  if (ended.length > 0) log.warn({ orders: ended.length }, 'ended the orders of blocked wallets')
}
