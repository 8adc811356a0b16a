import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Returns events of signed-in owners without a row in their inbox, and rows of trades that did not happen. */
export function listInboxGaps(sql: Queryable): Promise<{ kind: string; subject: string }[]> {
  return sql<{ kind: string; subject: string }[]>`
    with events as (
      select 'sold' as kind, txid || ':' || inscription_id as subject, seller_script as owner from sales where sale_type = 'internal'
      union all select 'delivered', txid || ':' || inscription_id, buyer_script from sales where sale_type = 'internal'
      union all select 'counter', offer_id::text, buyer_script from offers where kind = 'seller_counter'
      union all select 'acceptance', acceptance_id::text, creator_script from acceptances join proposals using (proposal_id)
      union all select 'listing_ended', listing_id::text, seller_script from listings where state in ('expired', 'invalidated')
      union all select 'escrow', e.txid || ':' || e.vout, e.seller_script from escrows e join inscriptions i using (inscription_id)
        where i.txid = e.txid and i.vout = e.vout and e.made_height is not null and exists (
          select from listings l where l.transfer_txid = e.txid and l.escrow_vout = e.vout and l.state in ('expired', 'invalidated'))
    ), rows as (
      select i.kind, i.subject, p.ordinals_script as owner from inbox i join profiles p using (profile_id) where not i.undone
    )
    select 'missing ' || kind as kind, subject from (
      select e.* from events e join profiles p on p.ordinals_script = e.owner except select * from rows) missing
    union all
    select 'wrong ' || kind, subject from (
      select * from rows where kind in ('sold', 'counter', 'acceptance') except select * from events) wrong`
}
