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
insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated, unbound,
    reinscription, parent_ids, content_type, body, sat_id)
  select n, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0', n, 800000, now(), false, false, false, false, '{}',
    (array['image/png', 'image/webp', 'text/html', 'text/plain'])[1 + n % 4], null, n
  from generate_series(0, :inscriptions - 1) n;
insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, owner_script, low_offset,
    high_offset)
  select n, 1, 0, n, encode(sha256(('coin' || n)::bytea), 'hex'), 0, 546,
    '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea), 0, 0
  from generate_series(0, :inscriptions - 1) n;
insert into watched_inscriptions (inscription_id, txid, vout, owner_script)
  select i.inscription_id, i.txid, i.vout, i.owner_script from inscriptions i;
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
insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids, wallet_binding_id,
    seller_script, price_sats, terms, economics, transfer_txid, transfer_signature, leg_signature, recovery_signature,
    recovery_batch, recovery_index, state, listed_at, coin_txid, coin_vout)
  select md5('listing' || n)::uuid, md5('anchor' || n)::uuid, md5('recovery' || n)::uuid,
    md5('collection' || n % :collections)::uuid, encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0',
    array[encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0'],
    md5('binding' || n % 1000)::uuid, '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea),
    10000 + (n::bigint * 7919) % 900000, '{}', '{}', encode(sha256(('transfer' || n)::bytea), 'hex'), '', '', '',
    md5('batch' || n)::uuid, 0, 'buyable', now() - (n % 2000000) * interval '1 second',
    encode(sha256(('reveal' || n)::bytea), 'hex'), 0
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
insert into proposal_requests (request_id, proposal_id, position, collection_id, quantity, target)
  select md5('leg' || n)::uuid, md5('proposal' || n)::uuid, 0, md5('collection' || (n + 1) % :collections)::uuid, 1,
    '{"kind": "all"}'
  from generate_series(0, :inscriptions / 10 - 1) n;
-- Offers, each owner of some with a hundred on ten inscriptions, each buyer with a hundred; fifty collection offers in a book.
insert into offers (offer_id, kind, collection_id, inscription_id, buyer_binding_id, buyer_script, seller_script, price_sats,
    postage_sats, economics, terms, signatures, fee_rate_sat_vb, settlement_txid, state, created_at, expires_at)
  select md5('offer' || n)::uuid, 'buyer_offer', md5('collection' || at % :collections)::uuid,
    encode(sha256(('reveal' || at)::bytea), 'hex') || 'i0', md5('binding' || n % (:inscriptions / 1000))::uuid,
    '\x5120'::bytea || sha256(('ordinals' || n % (:inscriptions / 1000))::bytea),
    '\x5120'::bytea || sha256(('ordinals' || at % 1000)::bytea), 2000 + (n % 500) * 1000, 546,
    '{"sellerFeeBps": 100, "buyerFeeBps": 100, "sellerRoyaltyBps": 0, "buyerRoyaltyBps": 0, "royaltyScript": null,
      "priceSats": 50000, "sellerMarketplaceFeeSats": 500, "buyerMarketplaceFeeSats": 500, "sellerCreatorRoyaltySats": 0,
      "buyerCreatorRoyaltySats": 0, "sellerReceiveSats": 49500, "buyerPayTotalSats": 50500, "marketplaceRevenueSats": 1000,
      "creatorRevenueSats": 0}',
    jsonb_build_object('inscriptionCoin', jsonb_build_object('valueSats', 546), 'payments', repeat('0', 800)), '[]', 2,
    encode(sha256(('settlement' || n)::bytea), 'hex'), 'active', now() - n * interval '1 second', now() + interval '30 days'
  from generate_series(0, :inscriptions / 10 - 1) n, lateral (select (n / 10 % 10) * 1000 + n / 100 as at) each;
insert into offer_events (offer_id, event_type, buyer_script, seller_script, occurred_at)
  select offer_id, 'created', buyer_script, seller_script, created_at from offers order by created_at;
insert into eligible_sets values (repeat('0', 64), '{}');
insert into collection_offers (offer_id, collection_id, wallet_binding_id, target, scope_label, criteria, criteria_hash,
    eligible_root, eligible_count, sample_inscription_id, price_sats, terms, signatures, funding_txid, secret_hash, state,
    created_at, expires_at)
  select md5('bid' || n)::uuid, md5('collection' || n / 50)::uuid, md5('binding' || n % 1000)::uuid, '{"kind": "all"}',
    'Collection', '{}', repeat('0', 64), repeat('0', 64), 500, encode(sha256(('reveal' || n / 50)::bytea), 'hex') || 'i0',
    10000 + (n % 100) * 5000, jsonb_build_object('payments', repeat('0', 800)), '[]',
    encode(sha256(('funding' || n)::bytea), 'hex'), encode(sha256(('secret' || n)::bytea), 'hex'), 'active',
    now() - n * interval '1 second', now() + interval '30 days'
  from generate_series(0, :inscriptions / 10 - 1) n;
insert into backing_coins (txid, vout, offer_id)
  select encode(sha256(('payment' || n)::bytea), 'hex'), 0, offer_id
  from (select offer_id, row_number() over () as n from offers union all
    select offer_id, row_number() over () + 1e9 from collection_offers) each;
analyze;
-- Derived tables, for all collections together; scripts/bench/reads.ts checks the small market with the per-collection functions.
insert into book_entries (collection_id, listing_id, inscription_id, opened_by, price_sats, listed_at, expires_at, opened_at)
  select m.collection_id, l.listing_id, m.inscription_id, e.event_id, l.price_sats, l.listed_at, l.expires_at, e.occurred_at
  from listings l join order_events e using (listing_id) join collection_items m using (inscription_id);
analyze book_entries;
insert into collection_floors (collection_id, slug, floor_sats, listed_count, next_expiry_at, rolled_at)
  select c.collection_id, c.slug, min(a.price_sats), count(a.listing_id), min(a.expires_at), now()
  from collections c left join book_entries a using (collection_id) group by 1, 2;
insert into floor_history select h.* from collections c, lateral floor_history_of(c.collection_id, '-infinity') h;
insert into collection_sales
  select m.collection_id, s.height, s.sale_id from sales s join collection_items m using (inscription_id);
insert into collection_volumes select v.* from collections c, lateral collection_volumes_of(c.collection_id) v;
insert into item_transfers (inscription_id, height, at, from_script, to_script, txid)
  select encode(sha256(('reveal' || n)::bytea), 'hex') || 'i0', 800000 - n / 50, now() - n * interval '1 second',
    '\x5120'::bytea || sha256(('ordinals' || (n + 1) % 1000)::bytea), '\x5120'::bytea || sha256(('ordinals' || n % 1000)::bytea),
    encode(sha256(('transfer' || n)::bytea), 'hex')
  from generate_series(0, :inscriptions - 1) n;
insert into collection_transfers select t.* from collections c, lateral collection_transfers_of(c.collection_id) t;
insert into collection_owners (collection_id, owner_hash, item_count)
  select m.collection_id, sha256(i.owner_script), count(*) from collection_items m join inscriptions i using (inscription_id) group by 1, 2;
insert into collection_counts
  select collection_id, (select count(*) from collection_items m where m.collection_id = o.collection_id), count(*)
  from collection_owners o group by 1;
insert into trait_counts
  select collection_id, t.type, t.value, count(*)
  from collection_items, jsonb_to_recordset(traits) as t (type text, value text) group by 1, 2, 3;
update collection_items m set rarity_rank = r.rarity_rank
  from collections c, lateral rarity_ranks_of(c.collection_id) r
  where m.collection_id = c.collection_id and m.inscription_id = r.inscription_id;
insert into proposal_collections
  select collection_id, created_at, proposal_id from proposals join proposal_requests using (proposal_id)
  union
  select m.collection_id, p.created_at, p.proposal_id
  from proposals p join proposal_items using (proposal_id) join collection_items m using (inscription_id);
set local session_replication_role = origin;
