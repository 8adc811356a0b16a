import type { Queryable } from '../db/connect.ts'

/** Holds orders and their log still, and has the triggers of the log and of live events stand by, until the transaction ends. */
export async function beginImport(sql: Queryable): Promise<void> {
  await sql`lock table listings, offers, collection_offers, proposals, sales, order_log_queue, order_log in share row exclusive mode`
  await sql`select set_config('ordbook.importing', 'on', true)`
}

/** True where the market has no order, sale or log yet. Sales that the chain shows are no one's orders. */
export async function isWithoutOrders(sql: Queryable): Promise<boolean> {
  const rows = await sql`
    select 1 from listings union all select 1 from offers union all select 1 from collection_offers union all select 1 from proposals
    union all select 1 from sales where sale_type = 'internal' union all select 1 from order_log
    union all select 1 from order_log_queue limit 1`
  return rows.length === 0
}

export async function insertLogged(
  sql: Queryable,
  changes: readonly { position: number; text: string }[],
): Promise<void> {
  await sql`
    insert into order_log (position, change)
    select n, c::jsonb from unnest(${changes.map((each) => each.position)}::bigint[], ${changes.map((each) => each.text)}::text[]) as x (n, c)`
}

/** The first change of an order that the log did not make before, or that was made twice; null where there is none. */
export async function findMisplacedChange(sql: Queryable): Promise<number | null> {
  const [row] = await sql<{ position: number | null }[]>`
    select min(position) as position from (
      select position, change ? 'from' as moved, row_number() over (partition by change ->> 'kind', change ->> 'id' order by position) = 1 as first
      from order_log where change ->> 'kind' in ('listing', 'offer', 'collection-offer', 'proposal')) each
    where moved = first`
  return row!.position
}

/** Makes the collections that the log names and the market does not know: without items, which an import of collections brings. */
export async function insertNamedCollections(sql: Queryable, now: Date): Promise<void> {
  await sql`
    insert into collections (collection_id, slug, name, verification_status, imported_at)
    select gen_random_uuid(), slug, name, 'unverified', ${now} from (
      select distinct on (change ->> 'collection') change ->> 'collection' as slug, change ->> 'collectionName' as name
      from order_log where change ? 'collection' order by change ->> 'collection', position desc) named
    where slug not in (select slug from collections union all select slug from collection_aliases)`
}

/** The wallet that stands for those of imported orders: its scripts are no wallet's. Gives its id. */
export async function insertNoWallet(sql: Queryable): Promise<string> {
  const [row] = await sql<{ walletBindingId: string }[]>`
    with nobody as (insert into profiles (profile_id) values (gen_random_uuid()) returning profile_id)
    insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
    select gen_random_uuid(), profile_id, 'Imported', 'unknown', '', '', false from nobody returning wallet_binding_id`
  return row!.walletBindingId
}

/** The last new state of each order of a kind. */
const lastOf = (sql: Queryable, kind: string) => sql`
  select distinct on (change ->> 'id') change ->> 'id' as id, change from order_log
  where change ->> 'kind' = ${kind}::text and change ->> 'from' is distinct from change ->> 'to'
  order by change ->> 'id', position desc`

/** The collection that a change `m` names. */
const collectionOf = (sql: Queryable) => sql`
  coalesce((select collection_id from collections where slug = m.change ->> 'collection'),
    (select collection_id from collection_aliases where slug = m.change ->> 'collection'))`

/** The listings of the log with their events. Those that are open at its end are cancelled. */
export async function insertListings(sql: Queryable, noWallet: string, now: Date): Promise<number> {
  const rows = await sql`
    with last as (${lastOf(sql, 'listing')})
    insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, wallet_binding_id,
      seller_script, price_sats, terms, economics, transfer_txid, transfer_signature, leg_signature, recovery_batch,
      recovery_index, state, listed_at, expires_at, ended_at, coin_txid, coin_vout, imported)
    select l.id::uuid, gen_random_uuid(), gen_random_uuid(), ${collectionOf(sql)}, m.change ->> 'inscriptionId', ${noWallet}::uuid,
      decode(m.change ->> 'seller', 'hex'), (m.change ->> 'priceSats')::bigint, '{}', '{}', m.change ->> 'transferTxid', '', '',
      gen_random_uuid(), 0,
      case when l.change ->> 'to' in ('buyable', 'hidden_locked', 'pending_public') then 'cancelled' else l.change ->> 'to' end,
      (m.change ->> 'at')::timestamptz, (m.change ->> 'expiresAt')::timestamptz,
      case when l.change ->> 'to' in ('buyable', 'hidden_locked', 'pending_public') then ${now}::timestamptz
        else (l.change ->> 'at')::timestamptz end,
      split_part(m.change ->> 'coin', ':', 1), split_part(m.change ->> 'coin', ':', 2)::bigint, true
    from order_log m join last l on l.id = m.change ->> 'id'
    where m.change ->> 'kind' = 'listing' and not m.change ? 'from' order by m.position returning 1`
  await sql`
    insert into order_events (listing_id, from_state, to_state, reason, guarantee, height, occurred_at)
    select (change ->> 'id')::uuid, change ->> 'from', change ->> 'to', change ->> 'reason', change ->> 'guarantee',
      (change ->> 'height')::int, (change ->> 'at')::timestamptz
    from order_log where change ->> 'kind' = 'listing' order by position`
  return rows.length
}

/** The offers of the log. Those that are open at its end are cancelled for `reason`. */
export async function insertOffers(
  sql: Queryable,
  noWallet: string,
  { reason, now }: { reason: string; now: Date },
): Promise<number> {
  const rows = await sql`
    with last as (${lastOf(sql, 'offer')})
    insert into offers (offer_id, kind, collection_id, inscription_id, buyer_binding_id, buyer_script, seller_script, price_sats,
      postage_sats, economics, terms, signatures, fee_rate_sat_vb, settlement_txid, state, reason, created_at, expires_at,
      ended_at, executable, imported)
    select l.id::uuid, 'buyer_offer', ${collectionOf(sql)}, m.change ->> 'inscriptionId', ${noWallet}::uuid,
      decode(m.change ->> 'buyer', 'hex'), decode(m.change ->> 'seller', 'hex'), (m.change ->> 'priceSats')::bigint,
      (m.change ->> 'postageSats')::bigint, m.change -> 'economics', '{}', '{}', 0, l.change ->> 'txid',
      case l.change ->> 'to' when 'active' then 'cancelled' else l.change ->> 'to' end,
      case l.change ->> 'to' when 'active' then ${reason} end,
      (m.change ->> 'at')::timestamptz, (m.change ->> 'expiresAt')::timestamptz,
      case l.change ->> 'to' when 'active' then ${now}::timestamptz else (l.change ->> 'at')::timestamptz end, false, true
    from order_log m join last l on l.id = m.change ->> 'id'
    where m.change ->> 'kind' = 'offer' and not m.change ? 'from' order by m.position returning 1`
  return rows.length
}

/** The sales of the log that no later block undid. One that the index had found on the chain is known as this market's from now on. */
export async function insertSales(sql: Queryable): Promise<number> {
  const rows = await sql`
    with last as (
      select distinct on (change ->> 'id') position, change from order_log where change ->> 'kind' = 'sale'
      order by change ->> 'id', position desc)
    insert into sales (sale_type, txid, inscription_id, collection_id, seller_script, buyer_script, price_sats, sold_at, height)
    select 'internal', m.change ->> 'txid', m.change ->> 'inscriptionId', ${collectionOf(sql)}, decode(m.change ->> 'seller', 'hex'),
      decode(m.change ->> 'buyer', 'hex'), (m.change ->> 'priceSats')::bigint, (m.change ->> 'at')::timestamptz,
      (m.change ->> 'height')::int
    from last m where m.change ->> 'to' = 'sold' order by m.position
    on conflict (txid, inscription_id) do update set sale_type = 'internal', rule = null, confidence = null, counted = true,
      collection_id = excluded.collection_id, seller_script = excluded.seller_script, buyer_script = excluded.buyer_script,
      price_sats = excluded.price_sats, rendered_row = null, rendered_version = sales.rendered_version + 1
    returning 1`
  return rows.length
}

/** Logs the end of every order that is open at the end of the imported log. Gives how many there were. */
export async function endOpenOrders(
  sql: Queryable,
  { reason, now }: { reason: string; now: Date },
): Promise<number> {
  await sql`select set_config('ordbook.importing', 'off', true)`
  const listings = await sql`
    with last as (${lastOf(sql, 'listing')})
    insert into order_events (listing_id, from_state, to_state, reason, guarantee, occurred_at)
    select id::uuid, change ->> 'to', 'cancelled', ${reason}, 'refused', ${now}::timestamptz from last
    where change ->> 'to' in ('buyable', 'hidden_locked', 'pending_public') returning 1`
  const others = await sql`
    with last as (
      ${lastOf(sql, 'offer')}
    ), last_collection_offers as (
      ${lastOf(sql, 'collection-offer')}
    ), last_proposals as (
      ${lastOf(sql, 'proposal')}
    )
    insert into order_log_queue (change)
    select jsonb_build_object('kind', change ->> 'kind', 'id', id, 'from', 'active', 'to', 'cancelled', 'reason', ${reason}::text,
      'at', utc(${now}::timestamptz))
    from (select * from last union all select * from last_collection_offers union all select * from last_proposals) open
    where change ->> 'to' = 'active' returning 1`
  return listings.length + others.length
}

/** Derives again what collections show of their orders. */
export async function rebuildNamedCollections(sql: Queryable): Promise<void> {
  await sql`
    select rebuild_collection(collection_id) from collections
    where collection_id in (select collection_id from listings union select collection_id from sales)`
}
