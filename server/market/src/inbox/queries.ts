import { limitOf, type Queryable } from '@ordbook/db/driver/connect.ts'

const MAX_ROWS_OF_PROFILE = 1000
const HOURS_BEFORE_EXPIRY = 6
/** Shorter orders have no reminder. */
const SHORTEST_HOURS = 24

/**
 * Deletes events older than 90 days, and a profile's oldest above 1,000, first those that a later event of the same kind and item follows, so
 * that repeated offers do not displace others. Returns the number of deleted rows. Keeps sign-ins, from which a sign-in with another client
 * is recognized.
 */
export async function deleteOldInbox(sql: Queryable, now: Date, most: number): Promise<number> {
  const rows = await sql`
    delete from inbox where inbox_id in (
      (select inbox_id from inbox where at < ${now}::timestamptz - interval '90 days' and kind <> 'sign_in'
        order by at limit ${limitOf(sql, most)})
      union (select old.inbox_id
        from (select profile_id from inbox group by profile_id having count(*) > ${MAX_ROWS_OF_PROFILE}) p, lateral (
          select inbox_id from (
              select inbox_id, kind, row_number() over (
                partition by kind, coalesce(inscription_id, proposal_id::text, subject) order by inbox_id desc) as nth
              from inbox i where i.profile_id = p.profile_id) i
            order by kind = 'sign_in' desc, nth = 1 desc, inbox_id desc offset ${MAX_ROWS_OF_PROFILE}) old
        limit ${limitOf(sql, most)}))
    returning 1`
  return rows.length
}

/** Notifies owners of orders that expire within six hours. Each order is notified once, even if the job repeats. */
export async function notifyExpiring(sql: Queryable, now: Date): Promise<void> {
  const isDue = sql`
    o.expires_at > ${now} and o.expires_at < ${now}::timestamptz + make_interval(hours => ${HOURS_BEFORE_EXPIRY})`
  const isLong = (createdAt: ReturnType<typeof sql>) =>
    sql`o.expires_at - ${createdAt} >= make_interval(hours => ${SHORTEST_HOURS})`
  await sql`
    select notify_owner(d.owner, 'expiring', d.id::text, ${now}, d.inscription_id, d.collection_id, d.proposal_id, d.price_sats, d.expires_at)
    from (
      select o.seller_script as owner, o.listing_id as id, o.inscription_id, o.collection_id, null::uuid as proposal_id, o.price_sats, o.expires_at
        from listings o where o.state in ('buyable', 'hidden_locked', 'pending_public') and ${isDue} and ${isLong(sql`o.listed_at`)}
      union all select o.buyer_script, o.offer_id, o.inscription_id, o.collection_id, null, o.price_sats, o.expires_at
        from offers o where o.state = 'active' and o.kind = 'buyer_offer' and ${isDue} and ${isLong(sql`o.created_at`)}
      union all select b.ordinals_script, o.offer_id, null, o.collection_id, null, o.price_sats, o.expires_at
        from collection_offers o join wallet_bindings b using (wallet_binding_id)
        where o.state = 'active' and ${isDue} and ${isLong(sql`o.created_at`)}
      union all select o.creator_script, o.proposal_id, null, null, o.proposal_id, null, o.expires_at
        from proposals o where o.state = 'active' and ${isDue} and ${isLong(sql`o.created_at`)}) d
    where not exists (select from profiles p join inbox i using (profile_id)
      where p.ordinals_script = d.owner and i.kind = 'expiring' and i.subject = d.id::text)`
}
