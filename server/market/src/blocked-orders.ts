import { inTransaction, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'
import { blockedScripts } from './auth/challenge.ts'
import { moveCollectionOffer } from './collection-offers/lifecycle.ts'
import type { Context } from './context.ts'
import { moveListing } from './listings/lifecycle.ts'
import { moveOffer } from './offers/lifecycle.ts'
import { endProposal, moveAcceptance } from './proposals/lifecycle.ts'
import { revokeOrders } from './settlements/revocations.ts'

type Kind = 'listing' | 'offer' | 'counter' | 'bid' | 'proposal' | 'acceptance'

interface BlockedOrder {
  kind: Kind
  id: string
  /** Null for a listing without an end. */
  expiresAt: Date | null
}

const REASON = 'the operator has blocked the wallet'

type Why = Parameters<typeof moveOffer>[3]

const CANCEL: Record<Kind, (tx: Transaction, id: string, why: Why & { reason: string }) => Promise<boolean>> =
  {
    listing: (tx, id, why) => moveListing(tx, id, 'cancelled', why),
    offer: (tx, id, why) => moveOffer(tx, id, 'cancelled', why),
    counter: (tx, id, why) => moveOffer(tx, id, 'cancelled', why),
    bid: (tx, id, why) => moveCollectionOffer(tx, id, 'cancelled', why),
    proposal: (tx, id, { now }) => endProposal(tx, id, 'cancelled', now),
    acceptance: (tx, id, why) => moveAcceptance(tx, id, 'cancelled', why),
  }
/** Orders whose cancels the signer stores by id. Other jobs send the floors of legs, and revoke collection offers. */
const REVOKED: readonly Kind[] = ['offer', 'proposal', 'acceptance']

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

/** Returns the open orders of all wallets whose profile has one of these scripts as an ordinals or payment address. */
const listOrdersOf = (sql: Queryable, scripts: readonly Uint8Array[]) => sql<BlockedOrder[]>`
  with blocked as (
    select w.wallet_binding_id, w.ordinals_script from wallet_bindings w
    where w.profile_id in (select profile_id from wallet_bindings
      where ordinals_script = any(${scripts as Uint8Array[]}::bytea[])
        or payment_script = any(${scripts as Uint8Array[]}::bytea[])))
  select 'listing' as kind, listing_id as id, expires_at from listings
  where seller_script in (select ordinals_script from blocked)
    and state in ('buyable', 'hidden_locked', 'pending_public')
  union all
  select 'offer', offer_id, expires_at from offers
  where kind = 'buyer_offer' and buyer_script in (select ordinals_script from blocked) and state = 'active'
  union all
  select 'counter', offer_id, expires_at from offers
  where kind = 'seller_counter' and seller_script in (select ordinals_script from blocked) and state = 'active'
  union all
  select 'bid', offer_id, expires_at from collection_offers
  where wallet_binding_id in (select wallet_binding_id from blocked) and state = 'active'
  union all
  select 'proposal', proposal_id, expires_at from proposals
  where creator_script in (select ordinals_script from blocked) and state = 'active'
  union all
  select 'acceptance', acceptance_id, expires_at from acceptances
  where acceptor_script in (select ordinals_script from blocked) and state = 'active'`
