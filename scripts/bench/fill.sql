-- A market of :inscriptions inscriptions in :collections collections, with listings, sales and proposals in proportion.
-- Run inside one transaction by scripts/bench/reads.ts, which sets the numbers. Nothing is derived row by row here: that
-- is done for each collection at the end, by the function that an import uses.
set local session_replication_role = replica;
insert into profiles (profile_id)
  select md5('profile' || n)::uuid from generate_series(0, 999) n;
insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
  select md5('binding' || n)::uuid, md5('profile' || n)::uuid, 'Wallet', 'unknown',
    '\x5120'::bytea || sha256(('ordinals' || n)::bytea), '\x5120'::bytea || sha256(('payment' || n)::bytea), false
  from generate_series(0, 999) n;
insert into collections (collection_id, slug, name, kind, verification_status, imported_at)
  select md5('collection' || c)::uuid, 'bench-' || c, 'Bench ' || c, null, 'verified', now()
  from generate_series(0, :collections - 1) c;
insert into inscriptions (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated, unbound,
    reinscription, parent_ids, content_type, body, txid, vout, sat_offset, output_value_sats, owner_script)
  select n, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0', n, 800000, now(), false, false, false, false, '{}',
    (array['image/png', 'image/webp', 'text/html', 'text/plain'])[1 + n % 4], null,
    encode(sha256(('coin' || n)::bytea), 'hex'), 0, 0, 546, '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea)
  from generate_series(0, :inscriptions - 1) n;
insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
  select md5('collection' || n % :collections)::uuid, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0',
    n / :collections, n, 'Bench #' || n,
    jsonb_build_array(jsonb_build_object('type', 'Background', 'value', 'Shade ' || n % 8),
      jsonb_build_object('type', 'Body', 'value', 'Form ' || n % 12), jsonb_build_object('type', 'Eyes', 'value', 'Look ' || n % 20),
      jsonb_build_object('type', 'Hat', 'value', 'Hat ' || n % 30))
  from generate_series(0, :inscriptions - 1) n;
-- One large collection, for pages that are deep: the first fiftieth of all, in a second collection.
insert into collections (collection_id, slug, name, kind, verification_status, imported_at)
  values (md5('large')::uuid, 'bench-large', 'Bench large', null, 'verified', now());
insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
  select md5('large')::uuid, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0', n, n, 'Large #' || n, '[]'
  from generate_series(0, :inscriptions / 50 - 1) n;
insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, wallet_binding_id,
    seller_script, price_sats, terms, economics, transfer_txid, transfer_signature, leg_signature, recovery_signature,
    recovery_batch, recovery_index, state, listed_at)
  select md5('listing' || n)::uuid, md5('anchor' || n)::uuid, md5('recovery' || n)::uuid,
    md5('collection' || n % :collections)::uuid, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0',
    md5('binding' || n % 1000)::uuid, '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea),
    10000 + (n::bigint * 7919) % 900000, '{}', '{}', encode(sha256(('transfer' || n)::bytea), 'hex'), '', '', '',
    md5('batch' || n)::uuid, 0, 'buyable', now() - (n % 2000000) * interval '1 second'
  from generate_series(0, :inscriptions / 5 - 1) n;
insert into order_events (listing_id, to_state, reason, occurred_at)
  select listing_id, state, 'listed', listed_at from listings order by listed_at;
insert into sales (sale_type, txid, inscription_id, collection_id, seller_script, buyer_script, price_sats, sold_at, height)
  select 'internal', encode(sha256(('sale' || n)::bytea), 'hex'), encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0',
    md5('collection' || n % :collections)::uuid, '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea),
    '\x5120'::bytea || sha256(('ordinals' || (n + 1) % 1000)::bytea), 10000 + n % 90000, now() - n * interval '1 second',
    800000 - n / 50
  from generate_series(0, :inscriptions - 1) n;
insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
    marketplace_fee_sats, created_at, expires_at)
  select md5('proposal' || n)::uuid, '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea), 'public', 'active', 0, 1000,
    100, now() - n * interval '1 second', now() + interval '30 days'
  from generate_series(0, :inscriptions / 10 - 1) n;
insert into proposal_items (proposal_id, position, inscription_id)
  select md5('proposal' || n)::uuid, 0, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0'
  from generate_series(0, :inscriptions / 10 - 1) n;
insert into proposal_legs (leg_id, proposal_id, position, collection_id, quantity, target)
  select md5('leg' || n)::uuid, md5('proposal' || n)::uuid, 0, md5('collection' || (n + 1) % :collections)::uuid, 1,
    '{"kind": "all"}'
  from generate_series(0, :inscriptions / 10 - 1) n;
analyze;
-- What is derived, for all collections at once; scripts/bench/reads.ts checks the small market by the functions of each.
insert into asks (collection_id, listing_id, opened_by, price_sats, listed_at, expires_at, opened_at)
  select m.collection_id, l.listing_id, e.event_id, l.price_sats, l.listed_at, l.expires_at, e.occurred_at
  from listings l join order_events e using (listing_id) join collection_items m using (inscription_id);
analyze asks;
insert into collection_floors (collection_id, slug, floor_sats, listed_count, next_expiry_at, rolled_at)
  select c.collection_id, c.slug, min(a.price_sats), count(a.listing_id), min(a.expires_at), now()
  from collections c left join asks a using (collection_id) group by 1, 2;
insert into floor_history select h.* from collections c, lateral floor_history_of(c.collection_id, '-infinity') h;
insert into collection_sales
  select m.collection_id, s.height, s.sale_id from sales s join collection_items m using (inscription_id);
insert into collection_owners
  select m.collection_id, i.owner_script, count(*) from collection_items m join inscriptions i using (inscription_id) group by 1, 2;
insert into collection_counts
  select collection_id, (select count(*) from collection_items m where m.collection_id = o.collection_id), count(*)
  from collection_owners o group by 1;
insert into trait_counts
  select collection_id, t.type, t.value, count(*)
  from collection_items, jsonb_to_recordset(traits) as t (type text, value text) group by 1, 2, 3;
insert into proposal_collections
  select collection_id, created_at, proposal_id from proposals join proposal_legs using (proposal_id)
  union
  select m.collection_id, p.created_at, p.proposal_id
  from proposals p join proposal_items using (proposal_id) join collection_items m using (inscription_id);
set local session_replication_role = origin;
