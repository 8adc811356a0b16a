import type { Queryable } from '@ordbook/db/driver/connect.ts'

export type BlockedKind = 'listing' | 'offer' | 'counter' | 'bid' | 'proposal' | 'acceptance'

export interface BlockedOrder {
  kind: BlockedKind
  id: string
  /** Null for a listing without an end. */
  expiresAt: Date | null
}

/** Returns the open orders of all wallets whose profile has one of these scripts as an ordinals or payment address. */
export const listOrdersOf = (sql: Queryable, scripts: readonly Uint8Array[]) => sql<BlockedOrder[]>`
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
