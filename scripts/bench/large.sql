-- A collection of :items inscriptions in addition to fill.sql, all listed at one price, and one of 48 listed the same way.
set local session_replication_role = replica;
create temporary table made on commit drop as
  select c.slug, md5(c.slug)::uuid as collection_id, c.first + n as sequence,
    encode(sha256(('reveal' || c.first + n)::bytea), 'hex') || 'i0' as inscription_id
  from (values ('bench-huge', 10000000, :items), ('bench-tiny', 20000000, 48)) as c (slug, first, items),
    lateral generate_series(0, c.items - 1) n;
insert into collections (collection_id, slug, name, kind, verification_status, imported_at)
  select distinct collection_id, slug, slug, null, 'verified', now() from made;
insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated, unbound,
    reinscription, parent_ids, content_type, body, sat_id)
  select sequence, inscription_id, sequence, 800000, now(), false, false, false, false, '{}', 'image/png', null, sequence from made;
insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, owner_script, low_offset,
    high_offset)
  select sequence, 1, 0, sequence, encode(sha256(('coin' || sequence)::bytea), 'hex'), 0, 546,
    '\x5120'::bytea || sha256(('ordinals' || sequence % 1000)::bytea), 0, 0 from made;
insert into watched_inscriptions (inscription_id, txid, vout, owner_script)
  select inscription_id, i.txid, i.vout, i.owner_script from made join inscriptions i using (inscription_id);
insert into collection_items (collection_id, inscription_id, ordinal, sort_key, item_name, traits)
  select collection_id, inscription_id, sequence, sequence, slug || ' #' || sequence,
    jsonb_build_array(jsonb_build_object('type', 'Background', 'value', 'Shade ' || sequence % 8),
      jsonb_build_object('type', 'Hat', 'value', 'Hat ' || sequence % 30)) from made;
insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids, wallet_binding_id,
    seller_script, price_sats, terms, economics, transfer_txid, transfer_signature, leg_signature, recovery_signature,
    recovery_batch, recovery_index, state, listed_at, coin_txid, coin_vout)
  select md5('listing' || sequence)::uuid, md5('anchor' || sequence)::uuid, md5('recovery' || sequence)::uuid, collection_id,
    inscription_id, array[inscription_id], md5('binding' || sequence % 1000)::uuid, '\x5120'::bytea || sha256(('ordinals' || sequence % 1000)::bytea),
    50000, '{}', '{}', encode(sha256(('transfer' || sequence)::bytea), 'hex'), '', '', '', md5('batch' || sequence)::uuid, 0,
    'buyable', now() - (sequence % 100) * interval '1 second', encode(sha256(('coin' || sequence)::bytea), 'hex'), 0 from made;
insert into order_events (listing_id, to_state, reason, occurred_at)
  select listing_id, state, 'listed', listed_at from listings where collection_id in (select collection_id from made) order by listed_at;
analyze;
set local session_replication_role = origin;
select rebuild_collection(collection_id) from (select distinct collection_id from made) each;
