-- The schema that the migrations make. Printed by `npm run schema`; do not edit.

create table acceptances (
  acceptance_id uuid not null,
  proposal_id uuid not null,
  acceptor_binding_id uuid not null,
  acceptor_script bytea not null,
  state text not null,
  reason text,
  fills jsonb not null,
  terms jsonb not null,
  items jsonb not null,
  signatures jsonb not null,
  settlement_txid text not null,
  settlement_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint acceptances_pkey primary key (acceptance_id),
  constraint acceptances_state_check check (state = any (array['active'::text, 'accepting'::text, 'accepted'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text, 'invalidated'::text])),
  constraint acceptances_acceptor_binding_id_fkey foreign key (acceptor_binding_id) references wallet_bindings(wallet_binding_id),
  constraint acceptances_proposal_id_fkey foreign key (proposal_id) references proposals(proposal_id),
  constraint acceptances_settlement_id_fkey foreign key (settlement_id) references settlements(settlement_id)
);
create index acceptances_acceptor on acceptances (acceptor_script, created_at desc, acceptance_id desc);
create index acceptances_expiry on acceptances (expires_at) where (state = 'active'::text);
create index acceptances_proposal on acceptances (proposal_id, created_at desc, acceptance_id desc);
create unique index acceptances_same on acceptances (settlement_txid) where (state = any (array['active'::text, 'accepting'::text, 'accepted'::text]));
create index acceptances_settlement on acceptances (settlement_id) where (settlement_id is not null);

create table auth_requests (
  auth_request_id uuid not null,
  ordinals_script bytea not null,
  payment_script bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  surface text not null default 'api'::text,
  client bytea not null,
  host text not null,
  nonce bytea not null,
  issued_at timestamptz not null,
  ordinals_challenge_id uuid not null,
  payment_challenge_id uuid,
  constraint auth_requests_pkey primary key (auth_request_id),
  constraint auth_requests_surface_check check (surface = any (array['api'::text, 'web'::text]))
);
create index auth_requests_client on auth_requests (client, expires_at);
create index auth_requests_expiry on auth_requests (expires_at);

create table backing_coins (
  txid text not null,
  vout bigint not null,
  offer_id uuid not null,
  gone text,
  recheck boolean not null default false,
  constraint backing_coins_pkey primary key (txid, vout, offer_id)
);
create index backing_coins_offer on backing_coins (offer_id);
create index backing_coins_to_recheck on backing_coins (txid, vout) where recheck;

create table blocks (
  height integer not null,
  block_hash text not null,
  mined_at timestamptz not null,
  next_sequence bigint not null,
  blessed_count bigint not null,
  cursed_count bigint not null,
  unbound_count bigint not null,
  lost_sats bigint not null,
  constraint blocks_pkey primary key (height),
  constraint blocks_block_hash_key unique (block_hash)
);
create trigger blocks_published after insert on blocks for each row when (new.mined_at > (now() - '1 day'::interval)) execute function publish_block();
create trigger blocks_undone_published after delete on blocks for each row when (old.mined_at > (now() - '1 day'::interval)) execute function publish_block();

create table book_entries (
  collection_id uuid not null,
  listing_id uuid not null,
  opened_by bigint not null,
  price_sats bigint not null,
  listed_at timestamptz not null,
  expires_at timestamptz,
  opened_at timestamptz not null,
  closed_at timestamptz,
  constraint book_entries_pkey primary key (listing_id, opened_by, collection_id),
  constraint book_entries_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint book_entries_listing_id_fkey foreign key (listing_id) references listings(listing_id)
);
create index book_entries_closed on book_entries (collection_id, closed_at) where (closed_at is not null);
create index book_entries_expiry on book_entries (collection_id, expires_at) where ((closed_at is null) and (expires_at is not null));
create index book_entries_opened on book_entries (collection_id, opened_at);
create index book_entries_price on book_entries (collection_id, ((- price_sats)), listed_at, listing_id) where (closed_at is null);
create index book_entries_recent on book_entries (collection_id, listed_at, listing_id) where (closed_at is null);
create index book_entries_soonest on book_entries (collection_id, coalesce(expires_at, 'infinity'::timestamptz), listing_id) where (closed_at is null);
create constraint trigger book_entries_changed after insert or update on book_entries deferrable initially deferred for each row execute function update_collection_floor();

create table change_coins (
  txid text not null,
  vout bigint not null,
  settlement_id uuid not null,
  value_sats bigint not null,
  script bytea not null,
  constraint change_coins_pkey primary key (txid, vout),
  constraint change_coins_settlement_id_fkey foreign key (settlement_id) references settlements(settlement_id)
);
create index change_coins_script on change_coins (script);

create table coin_moves (
  height integer not null,
  "position" integer not null,
  moved_by text,
  from_txid text not null,
  from_vout bigint not null,
  from_script bytea not null,
  from_offset bigint not null,
  span bigint not null,
  to_txid text not null,
  to_vout bigint not null,
  to_script bytea,
  to_offset bigint not null,
  constraint coin_moves_pkey primary key (height, "position")
);
create index coin_moves_to on coin_moves (txid_key(to_txid), to_vout, to_offset);

create table collection_aliases (
  slug text not null,
  collection_id uuid not null,
  constraint collection_aliases_pkey primary key (slug),
  constraint collection_aliases_collection_id_fkey foreign key (collection_id) references collections(collection_id)
);

create table collection_counts (
  collection_id uuid not null,
  item_count integer not null,
  owner_count integer not null,
  constraint collection_counts_pkey primary key (collection_id),
  constraint collection_counts_collection_id_fkey foreign key (collection_id) references collections(collection_id)
);
create constraint trigger collection_counts_changed after update on collection_counts deferrable initially deferred for each row execute function drop_rendered_floor();

create table collection_floors (
  collection_id uuid not null,
  slug text not null,
  floor_sats bigint,
  listed_count integer not null,
  next_expiry_at timestamptz,
  rolled_at timestamptz not null,
  rendered_row text,
  rendered_version integer not null default 0,
  rendered_until timestamptz,
  constraint collection_floors_pkey primary key (collection_id),
  constraint collection_floors_slug_key unique (slug),
  constraint collection_floors_collection_id_fkey foreign key (collection_id) references collections(collection_id)
) with (fillfactor=50);
create trigger collection_floors_published after update on collection_floors for each row when (old.floor_sats is distinct from new.floor_sats or old.listed_count is distinct from new.listed_count) execute function publish_floor();

create table collection_items (
  collection_id uuid not null,
  inscription_id text not null,
  ordinal integer not null,
  sort_key bigint not null,
  item_name text not null,
  traits jsonb not null,
  rendered_row text,
  rendered_version integer not null default 0,
  rendered_expires_at timestamptz,
  rarity_rank integer,
  name_number bigint not null generated always as (coalesce(("substring"(item_name, '([0-9]{1,15})[^0-9]*$'::text))::bigint, '9007199254740991'::bigint)) stored,
  constraint collection_items_pkey primary key (collection_id, inscription_id),
  constraint collection_items_collection_id_fkey foreign key (collection_id) references collections(collection_id)
) with (fillfactor=60);
create index collection_items_inscription on collection_items (inscription_id);
create index collection_items_last_word on collection_items (search_phrase(item_name, 0) collate "c");
create index collection_items_number on collection_items (collection_id, name_number, sort_key);
create unique index collection_items_order on collection_items (collection_id, sort_key);
create index collection_items_rarity on collection_items (collection_id, rarity_rank);
create index collection_items_unseen on collection_items (inscription_id) where (sort_key >= '4503599627370496'::bigint);
create index collection_items_word_1 on collection_items (search_phrase(item_name, 1) collate "c");
create index collection_items_word_2 on collection_items (search_phrase(item_name, 2) collate "c");
create index collection_items_word_3 on collection_items (search_phrase(item_name, 3) collate "c");
create trigger collection_items_changed after update on collection_items referencing new table as changed for each statement execute function announce_items();
create trigger collection_items_watched after insert on collection_items referencing new table as changed for each statement execute function watch_new();

create table collection_offers (
  offer_id uuid not null,
  collection_id uuid not null,
  wallet_binding_id uuid not null,
  target jsonb not null,
  scope_label text not null,
  criteria text not null,
  criteria_hash text not null,
  eligible_root text not null,
  eligible_count integer not null,
  sample_inscription_id text not null,
  price_sats bigint not null,
  terms jsonb not null,
  signatures jsonb not null,
  funding_txid text not null,
  secret_hash text not null,
  state text not null,
  reason text,
  settlement_id uuid,
  filled_inscription_id text,
  filled_sat_offset bigint,
  seller_script bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  revoked_at timestamptz,
  receive_sats bigint not null default 0,
  settlement_vsize bigint not null default 0,
  package_vsize bigint not null default 0,
  paid_sats bigint not null default 0,
  executable boolean not null default true,
  rendered_row text,
  rendered_version integer not null default 0,
  constraint collection_offers_pkey primary key (offer_id),
  constraint collection_offers_secret_hash_key unique (secret_hash),
  constraint collection_offers_state_check check (state = any (array['active'::text, 'filling'::text, 'filled'::text, 'cancelled'::text, 'replaced'::text, 'expired'::text, 'invalidated'::text])),
  constraint collection_offers_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint collection_offers_eligible_root_fkey foreign key (eligible_root) references eligible_sets(eligible_root),
  constraint collection_offers_wallet_binding_id_fkey foreign key (wallet_binding_id) references wallet_bindings(wallet_binding_id)
);
create index collection_offers_book on collection_offers (collection_id, price_sats desc, created_at, offer_id) where (state = 'active'::text);
create index collection_offers_collection on collection_offers (collection_id);
create index collection_offers_expiry on collection_offers (expires_at) where (state = 'active'::text);
create index collection_offers_own on collection_offers (wallet_binding_id, criteria_hash) where (state = 'active'::text);
create index collection_offers_revocable on collection_offers (ended_at) where ((state = any (array['cancelled'::text, 'replaced'::text])) and (revoked_at is null));
create index collection_offers_root on collection_offers (eligible_root);
create unique index collection_offers_same on collection_offers (funding_txid) where (state = any (array['active'::text, 'filling'::text]));
create index collection_offers_sample on collection_offers (sample_inscription_id);
create index collection_offers_settlement on collection_offers (settlement_id) where (settlement_id is not null);
create trigger collection_offers_announced after insert or update of state, executable on collection_offers for each row execute function announce_collection_offer();
create trigger collection_offers_changed before update of executable on collection_offers for each row when (old.executable is distinct from new.executable) execute function drop_rendered_row();
create trigger collection_offers_logged after insert on collection_offers for each row execute function log_collection_offer();
create trigger collection_offers_moved_logged after update of state on collection_offers for each row when (public_state(old.state) is distinct from public_state(new.state)) execute function log_collection_offer();
create trigger collection_offers_moved_published after update of state on collection_offers for each row when (old.state is distinct from new.state) execute function publish_collection_offer();
create trigger collection_offers_published after insert on collection_offers for each row execute function publish_collection_offer();

create table collection_owners (
  collection_id uuid not null,
  item_count integer not null,
  owner_hash bytea not null,
  constraint collection_owners_pkey primary key (collection_id, owner_hash),
  constraint collection_owners_collection_id_fkey foreign key (collection_id) references collections(collection_id)
);

create table collection_sales (
  collection_id uuid not null,
  height integer not null,
  sale_id bigint not null,
  constraint collection_sales_pkey primary key (collection_id, height, sale_id),
  constraint collection_sales_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint collection_sales_sale_id_fkey foreign key (sale_id) references sales(sale_id) on delete cascade
);
create index collection_sales_sale on collection_sales (sale_id);
create trigger collection_sales_made after insert on collection_sales referencing new table as changed for each statement execute function update_collection_volumes();
create trigger collection_sales_undone after delete on collection_sales referencing old table as changed for each statement execute function update_collection_volumes();

create table collection_transfers (
  collection_id uuid not null,
  at timestamptz not null,
  transfer_id bigint not null,
  constraint collection_transfers_pkey primary key (collection_id, transfer_id),
  constraint collection_transfers_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint collection_transfers_transfer_id_fkey foreign key (transfer_id) references item_transfers(transfer_id) on delete cascade
);
create index collection_transfers_recent on collection_transfers (collection_id, at desc, transfer_key(transfer_id) desc);
create index collection_transfers_transfer on collection_transfers (transfer_id);

create table collection_volumes (
  collection_id uuid not null,
  hour timestamptz not null,
  volume_sats bigint not null,
  sale_count integer not null,
  constraint collection_volumes_pkey primary key (collection_id, hour),
  constraint collection_volumes_collection_id_fkey foreign key (collection_id) references collections(collection_id)
);
create index collection_volumes_hour on collection_volumes (hour);

create table collections (
  collection_id uuid not null,
  slug text not null,
  name text not null,
  description text,
  kind text,
  verification_status text not null,
  card_background_color text,
  image_rendering_hint text,
  preview_inscription_id text,
  trading_enabled boolean not null default true,
  imported_at timestamptz not null,
  royalty_script bytea,
  seller_royalty_bps integer not null default 0,
  buyer_royalty_bps integer not null default 0,
  source_inscription_id text,
  name_skeleton text not null generated always as (name_skeleton(name)) stored,
  constraint collections_pkey primary key (collection_id),
  constraint collections_slug_key unique (slug),
  constraint collections_buyer_royalty_bps_check check (buyer_royalty_bps >= 0 and buyer_royalty_bps <= 5000),
  constraint collections_image_rendering_hint_check check (image_rendering_hint = any (array['auto'::text, 'pixelated'::text])),
  constraint collections_kind_check check (kind = any (array['parent_child'::text, 'gallery'::text])),
  constraint collections_seller_royalty_bps_check check (seller_royalty_bps >= 0 and seller_royalty_bps <= 5000),
  constraint collections_slug_check check (slug ~ '^[a-z0-9_-]+$'::text),
  constraint collections_source_kind check (source_inscription_id is null or kind is not null),
  constraint collections_verification_status_check check (verification_status = any (array['verified'::text, 'unverified'::text]))
);
create index collections_preview on collections (preview_inscription_id);
create index collections_slug_words on collections (search_phrase(slug, 1) collate "c");
create unique index collections_source on collections (source_inscription_id, kind) where (source_inscription_id is not null);
create index collections_verified_names on collections (name_skeleton) where (verification_status = 'verified'::text);
create index collections_word_1 on collections (search_phrase(name, 1) collate "c");
create index collections_word_2 on collections (search_phrase(name, 2) collate "c");
create index collections_word_3 on collections (search_phrase(name, 3) collate "c");
create trigger collections_changed after update of name, kind, verification_status, card_background_color, image_rendering_hint, preview_inscription_id on collections for each row when (old.name is distinct from new.name or old.kind is distinct from new.kind or old.verification_status is distinct from new.verification_status or old.card_background_color is distinct from new.card_background_color or old.image_rendering_hint is distinct from new.image_rendering_hint or old.preview_inscription_id is distinct from new.preview_inscription_id) execute function refresh_collection();
create trigger collections_made after insert on collections for each row execute function refresh_collection();
create trigger collections_watched after insert or update of source_inscription_id, preview_inscription_id on collections for each row execute function watch_collection();

create table declined_bids (
  inscription_id text not null,
  owner_script bytea not null,
  declined_at timestamptz not null,
  constraint declined_bids_pkey primary key (inscription_id)
);

create table eligible_sets (
  eligible_root text not null,
  inscription_ids text[] not null,
  constraint eligible_sets_pkey primary key (eligible_root)
);

create table escrows (
  txid text not null,
  vout bigint not null,
  wallet_binding_id uuid not null,
  collection_id uuid not null,
  inscription_id text not null,
  seller_script bytea not null,
  terms jsonb not null,
  transfer_signature bytea not null,
  next_generation integer not null default 1,
  floor integer not null default 0,
  signer_floor integer not null default 0,
  made_height integer,
  leaving_txid text,
  created_at timestamptz not null,
  constraint escrows_pkey primary key (txid, vout),
  constraint escrows_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint escrows_wallet_binding_id_fkey foreign key (wallet_binding_id) references wallet_bindings(wallet_binding_id)
);
create index escrows_floor_due on escrows (txid) where (floor > signer_floor);
create index escrows_inscription on escrows (inscription_id);
create index escrows_leaving on escrows (leaving_txid) where (leaving_txid is not null);
create index escrows_made on escrows (made_height) where (made_height is not null);
create index escrows_owner on escrows (seller_script, created_at desc, txid, vout);

create table floor_history (
  collection_id uuid not null,
  since timestamptz not null,
  floor_sats bigint,
  constraint floor_history_pkey primary key (collection_id, since),
  constraint floor_history_collection_id_fkey foreign key (collection_id) references collections(collection_id)
);

create table incomplete_inscriptions (
  sequence bigint not null,
  claims_parents boolean not null,
  tries integer not null default 0,
  constraint incomplete_inscriptions_pkey primary key (sequence),
  constraint incomplete_inscriptions_sequence_fkey foreign key (sequence) references inscription_rows(sequence) on delete cascade
);
create index incomplete_inscriptions_next on incomplete_inscriptions (tries, sequence);

create table index_fault (
  one boolean not null default true,
  height integer not null,
  block_hash text not null,
  txid text,
  reason text not null,
  since timestamptz not null,
  constraint index_fault_pkey primary key (one),
  constraint index_fault_one_check check (one)
);

create table inscribed_sat_undo (
  height integer not null,
  sat_id bigint not null,
  parent_id bigint,
  sat_offset bigint not null,
  first_id bigint not null,
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  constraint inscribed_sat_undo_pkey primary key (height, sat_id)
);

create table inscribed_sats (
  sat_id bigint not null,
  priority bigint not null,
  parent_id bigint,
  sat_offset bigint not null,
  first_id bigint not null,
  txid text,
  vout bigint,
  output_value_sats bigint,
  owner_script bytea,
  low_offset bigint,
  high_offset bigint,
  constraint inscribed_sats_pkey primary key (sat_id),
  constraint inscribed_sats_check check ((parent_id is null) = (txid is not null))
);
create index inscribed_sats_held on inscribed_sats (sha256(owner_script), first_id) where (owner_script is not null);
create index inscribed_sats_parent on inscribed_sats (parent_id) where (parent_id is not null);
create index inscribed_sats_place on inscribed_sats (txid_key(txid)) where (txid is not null);

create table inscription_rows (
  sequence bigint not null,
  inscription_id text not null,
  inscription_number bigint not null,
  height integer not null,
  inscribed_at timestamptz not null,
  cursed boolean not null,
  vindicated boolean not null,
  unbound boolean not null,
  reinscription boolean not null,
  parent_ids text[] not null,
  delegate_id text,
  pointer bigint,
  content_type text,
  content_encoding text,
  metaprotocol text,
  metadata bytea,
  body bytea,
  sat bigint,
  properties bytea,
  property_encoding text,
  adopted_height integer,
  fee_sats bigint,
  born_in text,
  sat_id bigint not null,
  constraint inscription_rows_pkey primary key (sequence),
  constraint inscription_rows_inscription_id_key unique (inscription_id),
  constraint inscriptions_born_in_check check (born_in = any (array['op_return'::text, 'lost'::text]))
);
create index inscriptions_adopted on inscription_rows (adopted_height) where (adopted_height is not null);
create index inscriptions_delegate on inscription_rows (delegate_id) where (delegate_id is not null);
create index inscriptions_height on inscription_rows (height);
create index inscriptions_number on inscription_rows (inscription_number);
create index inscriptions_on_sat on inscription_rows (sat_id, sequence);
create index inscriptions_parents on inscription_rows using gin (parent_ids) where (parent_ids <> '{}'::text[]);
create index inscriptions_sat on inscription_rows (sat, sequence) where (sat is not null);
create trigger inscriptions_completed after update on inscription_rows referencing new table as changed for each statement execute function apply_inscription_changes();
create trigger inscriptions_made after insert on inscription_rows referencing new table as changed for each statement execute function apply_inscription_changes();
create trigger inscriptions_undone after delete on inscription_rows referencing old table as changed for each statement execute function apply_inscription_changes();

create table item_transfers (
  transfer_id bigint not null generated always as identity,
  inscription_id text not null,
  height integer not null,
  at timestamptz not null,
  from_script bytea,
  to_script bytea,
  txid text not null,
  constraint item_transfers_pkey primary key (transfer_id)
);
create index item_transfers_from on item_transfers (sha256(from_script), at desc, transfer_key(transfer_id) desc) where (from_script is not null);
create index item_transfers_height on item_transfers (height);
create unique index item_transfers_inscribed on item_transfers (inscription_id) where (from_script is null);
create index item_transfers_inscription on item_transfers (inscription_id, at desc, transfer_key(transfer_id) desc);
create index item_transfers_recent on item_transfers (at desc, transfer_key(transfer_id) desc);
create index item_transfers_to on item_transfers (sha256(to_script), at desc, transfer_key(transfer_id) desc) where (to_script is not null);
create trigger item_transfers_made after insert on item_transfers referencing new table as changed for each statement execute function update_collection_transfers();

create table keyed_calls (
  profile_id uuid not null,
  key_sha256 bytea not null,
  request_sha256 bytea not null,
  claim_id uuid not null,
  began_at timestamptz not null,
  status integer,
  body bytea,
  constraint keyed_calls_pkey primary key (profile_id, key_sha256),
  constraint keyed_calls_check check ((status is null) = (body is null)),
  constraint keyed_calls_profile_id_fkey foreign key (profile_id) references profiles(profile_id)
);
create index keyed_calls_age on keyed_calls (began_at);

create table leases (
  role text not null,
  holder uuid,
  backend integer,
  token bigint not null default 0,
  expires_at timestamptz not null default '-infinity'::timestamptz,
  constraint leases_pkey primary key (role),
  constraint leases_role_token_key unique (role, token),
  constraint leases_role_check check (role = any (array['follower'::text, 'jobs'::text]))
);

create table listings (
  listing_id uuid not null,
  anchor_utxo_id uuid not null,
  recovery_handle uuid not null,
  collection_id uuid not null,
  inscription_id text not null,
  wallet_binding_id uuid not null,
  seller_script bytea not null,
  price_sats bigint not null,
  terms jsonb not null,
  economics jsonb not null,
  transfer_txid text not null,
  transfer_height integer,
  transfer_signature bytea not null,
  leg_signature bytea not null,
  recovery_signature bytea,
  recovery_batch uuid not null,
  recovery_index integer not null,
  state text not null,
  listed_at timestamptz not null,
  expires_at timestamptz,
  ended_at timestamptz,
  sat_offset bigint not null default 0,
  rendered_row text,
  rendered_version integer not null default 0,
  coin_txid text not null,
  coin_vout bigint not null,
  invalidated_height integer,
  escrow_vout bigint not null default 0,
  generation integer not null default 0,
  imported boolean not null default false,
  constraint listings_pkey primary key (listing_id),
  constraint listings_anchor_utxo_id_key unique (anchor_utxo_id),
  constraint listings_imported_ended check (not imported or (state = any (array['sold'::text, 'cancelled'::text, 'expired'::text, 'invalidated'::text, 'replaced'::text]))),
  constraint listings_state_check check (state = any (array['buyable'::text, 'hidden_locked'::text, 'pending_public'::text, 'sold'::text, 'cancelled'::text, 'expired'::text, 'invalidated'::text, 'replaced'::text])),
  constraint listings_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint listings_wallet_binding_id_fkey foreign key (wallet_binding_id) references wallet_bindings(wallet_binding_id)
) with (fillfactor=70);
create index listings_coin on listings (coin_txid, coin_vout) where (state = any (array['buyable'::text, 'hidden_locked'::text, 'pending_public'::text]));
create index listings_collection on listings (collection_id, listed_at);
create index listings_expiry on listings (expires_at) where (state = any (array['buyable'::text, 'hidden_locked'::text, 'pending_public'::text]));
create index listings_inscription on listings (inscription_id, listed_at);
create index listings_invalidated on listings (invalidated_height) where (state = 'invalidated'::text);
create unique index listings_live on listings (inscription_id) where (state = any (array['buyable'::text, 'hidden_locked'::text, 'pending_public'::text]));
create index listings_of_seller on listings (seller_script, listed_at desc, listing_id desc) where (state = any (array['buyable'::text, 'hidden_locked'::text, 'pending_public'::text, 'expired'::text, 'invalidated'::text]));
create index listings_price on listings (((- price_sats)), listed_at, listing_id) where (state = 'buyable'::text);
create index listings_recent on listings (listed_at desc, listing_id desc) where (state = 'buyable'::text);
create index listings_seller on listings (seller_script, listed_at desc, listing_id desc) where (state = 'buyable'::text);
create index listings_soonest on listings (coalesce(expires_at, 'infinity'::timestamptz), listing_id) where (state = 'buyable'::text);
create index listings_transfer on listings (transfer_txid);
create index listings_waiting on listings (listing_id) where (state = any (array['hidden_locked'::text, 'pending_public'::text]));
create trigger listings_changed after update on listings referencing new table as changed for each statement execute function announce_feed('listings');
create trigger listings_locked after update of state on listings for each row when (old.state is distinct from new.state and ('hidden_locked'::text = old.state or 'hidden_locked'::text = new.state)) execute function refresh_locked_proposals();
create trigger listings_watched after insert on listings referencing new table as changed for each statement execute function watch_new();

create table live_events (
  transaction_id xid8 not null default pg_current_xact_id(),
  event_id bigint not null generated always as identity,
  kind text not null,
  data jsonb not null,
  occurred_at timestamptz not null default clock_timestamp(),
  constraint live_events_pkey primary key (transaction_id, event_id),
  constraint live_events_kind_check check (kind = any (array['listing'::text, 'sale'::text, 'offer'::text, 'collection_offer'::text, 'proposal'::text, 'floor'::text, 'block'::text]))
);
create index live_events_age on live_events (occurred_at);

create table market_causes (
  txid text not null,
  n integer not null,
  purpose text not null,
  wallet_binding_id uuid,
  order_id uuid,
  inscription_id text,
  sats bigint,
  sent_at timestamptz,
  constraint market_causes_pkey primary key (txid, n)
);
create index market_causes_sent on market_causes (sent_at) where (purpose = 'transfer'::text);

create table market_coin_moves (
  from_state text not null,
  to_state text not null,
  constraint market_coin_moves_pkey primary key (from_state, to_state)
);

create table market_coins (
  txid text not null,
  vout bigint not null,
  value_sats bigint not null,
  height integer,
  spent_height integer,
  reserved_for uuid,
  retired boolean not null default false,
  retired_at timestamptz,
  spending_txid text,
  taken_by uuid,
  coinbase boolean not null default false,
  immature boolean not null default false,
  named_at timestamptz,
  caused_by uuid,
  spent_txid text,
  cost_sats bigint not null default 0,
  state text not null generated always as (
case
    when (spent_height is not null) then 'spent'::text
    when (height is null) then 'absent'::text
    when (spending_txid is not null) then 'spending'::text
    when retired then 'retired'::text
    when (reserved_for is not null) then 'held'::text
    when immature then 'immature'::text
    else 'free'::text
end) stored,
  constraint market_coins_pkey primary key (txid, vout)
);
create index market_coins_caused on market_coins (caused_by) where (state = any (array['held'::text, 'retired'::text, 'spending'::text]));
create index market_coins_free on market_coins (value_sats, named_at) where (state = 'free'::text);
create index market_coins_height on market_coins (height);
create index market_coins_immature on market_coins (height) where immature;
create index market_coins_reserved on market_coins (reserved_for);
create index market_coins_retired on market_coins (retired_at) where (state = 'retired'::text);
create index market_coins_spent on market_coins (spent_height) where (spent_height is not null);
create index market_coins_taken on market_coins (taken_by) where ((taken_by is not null) and (spent_height is null));
create trigger market_coins_moves after insert or update on market_coins for each row execute function check_market_coin();

create table market_ledger (
  entry_id bigint not null generated always as identity,
  height integer not null,
  txid text not null,
  purpose text not null,
  sats bigint not null,
  wallet_binding_id uuid,
  order_id uuid,
  inscription_id text,
  booked_at timestamptz not null,
  constraint market_ledger_pkey primary key (entry_id)
);
create index market_ledger_height on market_ledger (height);
create index market_ledger_inscription on market_ledger (inscription_id, booked_at) where (inscription_id is not null);
create index market_ledger_time on market_ledger (booked_at) where (wallet_binding_id is not null);
create index market_ledger_wallet on market_ledger (wallet_binding_id, booked_at) where (wallet_binding_id is not null);

create table market_transactions (
  txid text not null,
  handle uuid not null,
  raw_hex text not null,
  state text not null,
  confirmed_height integer,
  created_at timestamptz not null default now(),
  purpose text not null default 'split'::text,
  constraint market_transactions_pkey primary key (txid),
  constraint market_transactions_purpose_check check (purpose = any (array['split'::text, 'void'::text, 'recovery'::text, 'bump'::text, 'reclaim'::text, 'move'::text])),
  constraint market_transactions_state_check check (state = any (array['intended'::text, 'confirmed'::text, 'failed'::text]))
);

create unlogged table mempool_look (
  one boolean not null default true,
  looked_at timestamptz,
  transaction_count integer,
  unread integer,
  constraint mempool_look_pkey primary key (one),
  constraint mempool_look_one_check check (one)
);

create unlogged table mempool_spends (
  txid text not null,
  vout bigint not null,
  spender text not null,
  constraint mempool_spends_pkey primary key (txid, vout)
);
create index mempool_spends_spender on mempool_spends (spender);

create table migrations (
  name text not null,
  checksum text not null,
  oldest_code text not null,
  applied_at timestamptz not null default now(),
  constraint migrations_pkey primary key (name)
);

create table offer_events (
  event_id bigint not null generated always as identity,
  offer_id uuid not null,
  event_type text not null,
  reason text,
  buyer_script bytea not null,
  seller_script bytea not null,
  occurred_at timestamptz not null,
  constraint offer_events_pkey primary key (event_id),
  constraint offer_events_event_type_check check (event_type = any (array['created'::text, 'accepted'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text, 'invalidated'::text])),
  constraint offer_events_offer_id_fkey foreign key (offer_id) references offers(offer_id)
);
create index offer_events_buyer on offer_events (buyer_script, occurred_at desc, event_id desc);
create index offer_events_seller on offer_events (seller_script, occurred_at desc, event_id desc);
create trigger offer_events_append_only before delete or update or truncate on offer_events for each statement execute function refuse_change();

create table offers (
  offer_id uuid not null,
  kind text not null,
  parent_offer_id uuid,
  collection_id uuid not null,
  inscription_id text not null,
  buyer_binding_id uuid not null,
  buyer_script bytea not null,
  seller_script bytea not null,
  seller_binding_id uuid,
  price_sats bigint not null,
  postage_sats bigint not null,
  economics jsonb not null,
  terms jsonb not null,
  signatures jsonb not null,
  fee_rate_sat_vb double precision not null,
  floor_sats bigint,
  top_offer_sats bigint,
  settlement_txid text,
  payout_txid text,
  settlement_id uuid,
  anchor_utxo_id uuid,
  transfer_txid text,
  transfer_height integer,
  state text not null,
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  recovery_handle uuid,
  receive_sats bigint not null default 0,
  settlement_vsize bigint not null default 0,
  package_vsize bigint not null default 0,
  paid_sats bigint not null default 0,
  executable boolean not null default true,
  imported boolean not null default false,
  rendered_row text,
  rendered_version integer not null default 0,
  constraint offers_pkey primary key (offer_id),
  constraint offers_anchor_utxo_id_key unique (anchor_utxo_id),
  constraint offers_check check ((kind = 'seller_counter'::text) = (parent_offer_id is not null and anchor_utxo_id is not null)),
  constraint offers_imported_ended check (not imported or (state = any (array['accepted'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text, 'invalidated'::text]))),
  constraint offers_kind_check check (kind = any (array['buyer_offer'::text, 'seller_counter'::text])),
  constraint offers_state_check check (state = any (array['active'::text, 'accepting'::text, 'accepted'::text, 'rejected'::text, 'cancelled'::text, 'expired'::text, 'invalidated'::text])),
  constraint offers_buyer_binding_id_fkey foreign key (buyer_binding_id) references wallet_bindings(wallet_binding_id),
  constraint offers_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint offers_parent_offer_id_fkey foreign key (parent_offer_id) references offers(offer_id),
  constraint offers_seller_binding_id_fkey foreign key (seller_binding_id) references wallet_bindings(wallet_binding_id)
);
create index offers_collection on offers (collection_id);
create unique index offers_countered on offers (parent_offer_id) where (state = any (array['active'::text, 'accepting'::text]));
create index offers_expiry on offers (expires_at) where (state = 'active'::text);
create index offers_history on offers (inscription_id, created_at desc, offer_id desc);
create index offers_live on offers (inscription_id, price_sats desc, created_at, offer_id) where (state = 'active'::text);
create index offers_made on offers (created_at desc, offer_id desc);
create index offers_over on offers (ended_at desc) where (ended_at is not null);
create index offers_received on offers (seller_script, inscription_id) where (state = 'active'::text);
create unique index offers_recovery on offers (recovery_handle) where (recovery_handle is not null);
create unique index offers_same on offers (settlement_txid) where ((kind = 'buyer_offer'::text) and (state = any (array['active'::text, 'accepting'::text])));
create index offers_sent on offers (buyer_script, created_at desc, offer_id desc) where (state = 'active'::text);
create index offers_settlement on offers (settlement_id) where (settlement_id is not null);
create index offers_transfer on offers (transfer_txid) where (transfer_txid is not null);
create trigger offers_logged after insert on offers for each row when (new.kind = 'buyer_offer'::text) execute function log_offer();
create trigger offers_moved_logged after update of state on offers for each row when (new.kind = 'buyer_offer'::text and public_state(old.state) is distinct from public_state(new.state)) execute function log_offer();
create trigger offers_moved_published after update of state on offers for each row when (old.state is distinct from new.state) execute function publish_offer();
create trigger offers_published after insert on offers for each row execute function publish_offer();

create table order_changes (
  change_id bigint not null generated always as identity,
  change jsonb not null,
  constraint order_changes_pkey primary key (change_id)
);

create table order_events (
  event_id bigint not null generated always as identity,
  listing_id uuid not null,
  from_state text,
  to_state text not null,
  reason text not null,
  height integer,
  occurred_at timestamptz not null,
  guarantee text,
  undoes bigint,
  constraint order_events_pkey primary key (event_id),
  constraint order_events_guarantee_check check (guarantee = any (array['refused'::text, 'anchor-spent'::text, 'impossible'::text])),
  constraint order_events_listing_id_fkey foreign key (listing_id) references listings(listing_id),
  constraint order_events_undoes_fkey foreign key (undoes) references order_events(event_id)
);
create index order_events_height on order_events (height) where (height is not null);
create index order_events_listing on order_events (listing_id, event_id);
create index order_events_recent on order_events (occurred_at desc);
create trigger order_events_append_only before delete or update or truncate on order_events for each statement execute function refuse_change();
create trigger order_events_entered after insert on order_events for each row execute function update_book_entries();
create trigger order_events_logged after insert on order_events for each row execute function log_listing();
create trigger order_events_published after insert on order_events for each row execute function publish_listing();

create table order_log (
  "position" bigint not null,
  change jsonb not null,
  constraint order_log_pkey primary key ("position")
);
create trigger order_log_append_only before delete or update or truncate on order_log for each statement execute function refuse_change();

create table order_log_hashes (
  "position" bigint not null,
  hash bytea not null,
  bytes integer not null,
  constraint order_log_hashes_pkey primary key ("position"),
  constraint order_log_hashes_bytes_check check (bytes > 0),
  constraint order_log_hashes_hash_check check (length(hash) = 32)
);
create trigger order_log_hashes_append_only before delete or update or truncate on order_log_hashes for each statement execute function refuse_change();

create table order_log_head (
  is_only boolean not null default true,
  "position" bigint not null,
  hash bytea not null,
  signature bytea not null,
  constraint order_log_head_pkey primary key (is_only),
  constraint order_log_head_hash_check check (length(hash) = 32),
  constraint order_log_head_is_only_check check (is_only),
  constraint order_log_head_signature_check check (length(signature) = 64)
);

create table preflights (
  handle text not null,
  kind text not null,
  wallet_binding_id uuid not null,
  subject text,
  request jsonb not null,
  prepared jsonb not null,
  expires_at timestamptz not null,
  answer jsonb,
  constraint preflights_pkey primary key (handle),
  constraint preflights_wallet_binding_id_fkey foreign key (wallet_binding_id) references wallet_bindings(wallet_binding_id)
);
create index preflights_abandoned on preflights (expires_at) where (answer is null);
create index preflights_answered on preflights (expires_at) where (answer is not null);
create index preflights_waiting on preflights (wallet_binding_id, expires_at desc) where (answer is null);

create table preview_stills (
  content_key bytea not null,
  size integer not null,
  bytes integer not null,
  body bytea not null,
  constraint preview_stills_pkey primary key (content_key, size),
  constraint preview_stills_content_key_fkey foreign key (content_key) references previews(content_key) on delete cascade
);
create index preview_stills_bytes on preview_stills (size, bytes);

create table previewed_inscriptions (
  inscription_id text not null,
  content_key bytea not null,
  constraint previewed_inscriptions_pkey primary key (inscription_id),
  constraint previewed_inscriptions_content_key_fkey foreign key (content_key) references previews(content_key),
  constraint previewed_inscriptions_inscription_id_fkey foreign key (inscription_id) references inscription_rows(inscription_id) on delete cascade
);
create index previewed_inscriptions_content on previewed_inscriptions (content_key);

create table previews (
  content_key bytea not null,
  inscription_id text not null,
  kind text not null,
  state text not null,
  place bigint not null generated always as identity,
  attempts integer not null default 0,
  due_at timestamptz not null,
  failure text,
  placeholder bytea,
  rendered_at timestamptz,
  constraint previews_pkey primary key (content_key),
  constraint previews_check check ((state = 'done'::text) = (rendered_at is not null)),
  constraint previews_check1 check (state <> 'failed'::text or failure is not null),
  constraint previews_kind_check check (kind = any (array['raster'::text, 'text'::text, 'document'::text, 'video'::text, 'audio'::text, 'model'::text, 'other'::text])),
  constraint previews_state_check check (state = any (array['waiting'::text, 'done'::text, 'failed'::text]))
);
create index previews_state on previews (state, rendered_at);
create index previews_waiting on previews (place) where (state = 'waiting'::text);

create table profiles (
  profile_id uuid not null,
  username text,
  bio text,
  avatar_url text,
  banner_url text,
  created_at timestamptz not null default now(),
  ordinals_script bytea,
  constraint profiles_pkey primary key (profile_id),
  constraint profiles_ordinals_script_key unique (ordinals_script)
);

create table proposal_collections (
  collection_id uuid not null,
  created_at timestamptz not null,
  proposal_id uuid not null,
  constraint proposal_collections_pkey primary key (collection_id, created_at, proposal_id),
  constraint proposal_collections_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint proposal_collections_proposal_id_fkey foreign key (proposal_id) references proposals(proposal_id) on delete cascade
);
create index proposal_collections_proposal on proposal_collections (proposal_id);

create table proposal_items (
  proposal_id uuid not null,
  "position" integer not null,
  inscription_id text not null,
  constraint proposal_items_pkey primary key (proposal_id, "position"),
  constraint proposal_items_position_check check ("position" >= 0 and "position" <= 49),
  constraint proposal_items_proposal_id_fkey foreign key (proposal_id) references proposals(proposal_id) on delete cascade
);
create index proposal_items_inscription on proposal_items (inscription_id);
create trigger proposal_items_watched after insert on proposal_items referencing new table as changed for each statement execute function watch_new();

create table proposals (
  proposal_id uuid not null,
  creator_script bytea not null,
  visibility text not null,
  state text not null,
  offered_btc_sats bigint not null,
  requested_btc_sats bigint not null,
  marketplace_fee_sats bigint not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  available boolean not null default true,
  rendered_row text,
  rendered_collections uuid[] not null default '{}'::uuid[],
  rendered_version integer not null default 0,
  creator_binding_id uuid,
  payment jsonb,
  settlement_id uuid,
  constraint proposals_pkey primary key (proposal_id),
  constraint proposals_marketplace_fee_sats_check check (marketplace_fee_sats >= 0),
  constraint proposals_offered_btc_sats_check check (offered_btc_sats >= 0),
  constraint proposals_requested_btc_sats_check check (requested_btc_sats >= 0),
  constraint proposals_state_check check (state = any (array['active'::text, 'accepted'::text, 'cancelled'::text, 'expired'::text])),
  constraint proposals_visibility_check check (visibility = any (array['public'::text, 'private'::text])),
  constraint proposals_creator_binding_id_fkey foreign key (creator_binding_id) references wallet_bindings(wallet_binding_id),
  constraint proposals_settlement_id_fkey foreign key (settlement_id) references settlements(settlement_id)
) with (fillfactor=60);
create index proposals_creator on proposals (creator_script, created_at desc, proposal_id desc);
create index proposals_expiry on proposals (expires_at) where (state = 'active'::text);
create index proposals_feed on proposals (created_at desc, proposal_id desc) where ((state = 'active'::text) and (visibility = 'public'::text) and available);
create constraint trigger proposals_logged after insert on proposals deferrable initially deferred for each row when (new.visibility = 'public'::text) execute function log_proposal();
create constraint trigger proposals_made after insert on proposals deferrable initially deferred for each row execute function refresh_proposal();
create trigger proposals_moved after update of state, visibility, expires_at on proposals for each row execute function refresh_proposal();
create trigger proposals_moved_logged after update of state on proposals for each row when (new.visibility = 'public'::text and old.state is distinct from new.state) execute function log_proposal();
create trigger proposals_moved_published after update of state, available on proposals for each row when (new.visibility = 'public'::text and (old.state is distinct from new.state or old.available is distinct from new.available)) execute function publish_proposal();
create trigger proposals_published after insert on proposals for each row when (new.visibility = 'public'::text) execute function publish_proposal();

create table purchase_listings (
  purchase_id uuid not null,
  "position" integer not null,
  listing_id uuid not null,
  pending_sale_id uuid not null,
  constraint purchase_listings_pkey primary key (purchase_id, "position"),
  constraint purchase_listings_listing_id_fkey foreign key (listing_id) references listings(listing_id),
  constraint purchase_listings_purchase_id_fkey foreign key (purchase_id) references purchases(purchase_id) on delete cascade
);
create index purchase_listings_listing on purchase_listings (listing_id);

create table purchases (
  purchase_id uuid not null,
  wallet_binding_id uuid not null,
  collection_id uuid not null,
  settlement jsonb not null,
  constraint purchases_pkey primary key (purchase_id),
  constraint purchases_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint purchases_wallet_binding_id_fkey foreign key (wallet_binding_id) references wallet_bindings(wallet_binding_id)
);

create table rare_sat_moves (
  height integer not null,
  born_height integer not null,
  from_txid text,
  from_vout bigint,
  from_offset bigint,
  constraint rare_sat_moves_pkey primary key (height, born_height)
);

create table rare_sats (
  born_height integer not null,
  txid text,
  vout bigint,
  sat_offset bigint,
  constraint rare_sats_pkey primary key (born_height)
);
create index rare_sats_place on rare_sats (txid_key(txid)) where (txid is not null);

create table sales (
  sale_id bigint not null generated always as identity,
  sale_type text not null,
  txid text,
  inscription_id text not null,
  collection_id uuid,
  seller_script bytea,
  buyer_script bytea,
  price_sats bigint not null,
  price_usd double precision,
  sold_at timestamptz not null,
  height integer not null,
  rendered_row text,
  rendered_version integer not null default 0,
  rule text,
  confidence text,
  counted boolean not null default true,
  constraint sales_pkey primary key (sale_id),
  constraint sales_txid_inscription_id_key unique (txid, inscription_id),
  constraint sales_confidence_check check (confidence = any (array['high'::text, 'medium'::text, 'low'::text])),
  constraint sales_external check ((sale_type = 'external'::text) = (rule is not null and confidence is not null)),
  constraint sales_rule_check check (rule = any (array['signature'::text, 'gain'::text])),
  constraint sales_sale_type_check check (sale_type = any (array['internal'::text, 'external'::text])),
  constraint sales_collection_id_fkey foreign key (collection_id) references collections(collection_id)
) with (fillfactor=60);
create index sales_buyer on sales (buyer_script, sold_at desc, sale_id desc) where (buyer_script is not null);
create index sales_collection on sales (collection_id);
create index sales_inscription on sales (inscription_id, height desc, sale_id desc);
create index sales_recent on sales (height desc, sale_id desc);
create index sales_seller on sales (seller_script, sold_at desc, sale_id desc) where (seller_script is not null);
create index sales_time on sales (sold_at desc);
create trigger sales_changed after update on sales referencing new table as changed for each statement execute function announce_feed('sales');
create trigger sales_leave before delete on sales for each row execute function leave_collections();
create trigger sales_logged after insert on sales for each row when (new.sale_type = 'internal'::text) execute function log_sale();
create trigger sales_made after insert on sales referencing new table as changed for each statement execute function update_collection_sales();
create trigger sales_published after insert on sales for each row execute function publish_sale();
create trigger sales_undone after delete on sales referencing old table as changed for each statement execute function update_collection_sales();
create trigger sales_undone_logged after delete on sales for each row when (old.sale_type = 'internal'::text) execute function log_sale();

create table sat_ranges (
  txid text not null,
  vout bigint not null,
  ranges bigint[] not null,
  constraint sat_ranges_pkey primary key (txid, vout)
);

create table sat_undo (
  height integer not null,
  part integer not null,
  taken jsonb not null,
  made jsonb not null,
  constraint sat_undo_pkey primary key (height, part)
);

create table secrets (
  name text not null,
  secret bytea not null,
  constraint secrets_pkey primary key (name)
);

create table sessions (
  token_sha256 bytea not null,
  profile_id uuid not null,
  expires_at timestamptz not null,
  surface text not null default 'api'::text,
  began_at timestamptz not null default now(),
  issued_at timestamptz not null default now(),
  session_id uuid not null default gen_random_uuid(),
  last_used_at timestamptz not null default now(),
  client bytea,
  client_hint text,
  constraint sessions_pkey primary key (token_sha256),
  constraint sessions_surface_check check (surface = any (array['api'::text, 'web'::text])),
  constraint sessions_profile_id_fkey foreign key (profile_id) references profiles(profile_id)
);
create index sessions_client on sessions (client, issued_at);
create index sessions_expiry on sessions (expires_at);
create index sessions_issued on sessions (issued_at);
create index sessions_profile on sessions (profile_id, issued_at);

create table settings (
  name text not null,
  value text not null,
  constraint settings_pkey primary key (name)
);

create table settlement_coins (
  settlement_id uuid not null,
  txid text not null,
  vout bigint not null,
  live boolean not null
);
create unique index settlement_coins_live on settlement_coins (txid, vout) where live;
create index settlement_coins_settlement on settlement_coins (settlement_id);

create table settlement_kinds (
  name text not null,
  constraint settlement_kinds_pkey primary key (name)
);

create table settlements (
  settlement_id uuid not null,
  kind text not null,
  settlement_txid text not null,
  inscription_ids text[] not null,
  transactions jsonb not null,
  state text not null,
  failure text,
  broadcast_height integer,
  confirmed_height integer,
  bump jsonb,
  created_at timestamptz not null default now(),
  caused_by uuid,
  constraint settlements_pkey primary key (settlement_id),
  constraint settlements_state_check check (state = any (array['intended'::text, 'broadcast'::text, 'confirmed'::text, 'failed'::text])),
  constraint settlements_kind_fkey foreign key (kind) references settlement_kinds(name)
);
create index settlements_height on settlements (confirmed_height) where (confirmed_height is not null);
create index settlements_live on settlements (state) where (state = any (array['intended'::text, 'broadcast'::text]));
create index settlements_swapped on settlements (confirmed_height desc) where ((kind = 'swap'::text) and (state = 'confirmed'::text));
create index settlements_txid on settlements (settlement_txid);
create trigger settlements_logged after update of state on settlements for each row when (new.kind = 'swap'::text and (old.state = 'confirmed'::text) is distinct from (new.state = 'confirmed'::text)) execute function log_trade();
create trigger settlements_moved after insert or update of state on settlements for each row execute function refresh_settling_proposals();

create table share_cards (
  card_key bytea not null,
  subject text not null,
  content_key bytea not null,
  texts jsonb not null,
  state text not null,
  attempts integer not null default 0,
  due_at timestamptz not null,
  asked_at timestamptz not null,
  body bytea,
  constraint share_cards_pkey primary key (card_key),
  constraint share_cards_subject_key unique (subject),
  constraint share_cards_check check ((state = 'done'::text) = (body is not null)),
  constraint share_cards_state_check check (state = any (array['waiting'::text, 'done'::text, 'failed'::text]))
);
create index share_cards_asked on share_cards (state, asked_at);

create table trait_counts (
  collection_id uuid not null,
  trait_type text not null,
  trait_value text not null,
  item_count integer not null,
  constraint trait_counts_pkey primary key (collection_id, trait_type, trait_value),
  constraint trait_counts_collection_id_fkey foreign key (collection_id) references collections(collection_id)
);
create index trait_counts_word_1 on trait_counts (search_phrase(trait_value, 1) collate "c");
create index trait_counts_word_2 on trait_counts (search_phrase(trait_value, 2) collate "c");

create table wallet_bindings (
  wallet_binding_id uuid not null,
  profile_id uuid not null,
  label text not null,
  provider text not null,
  ordinals_script bytea not null,
  payment_script bytea not null,
  is_public boolean not null,
  created_at timestamptz not null default now(),
  payment_key bytea,
  signed_in_at timestamptz not null default clock_timestamp(),
  constraint wallet_bindings_pkey primary key (wallet_binding_id),
  constraint wallet_bindings_pair unique (ordinals_script, payment_script),
  constraint wallet_bindings_profile_id_fkey foreign key (profile_id) references profiles(profile_id)
);
create index wallet_bindings_payment on wallet_bindings (payment_script);
create index wallet_bindings_profile on wallet_bindings (profile_id);

create table wanted_legs (
  leg_id uuid not null,
  proposal_id uuid not null,
  "position" integer not null,
  collection_id uuid not null,
  quantity integer not null,
  target jsonb not null,
  constraint wanted_legs_pkey primary key (leg_id),
  constraint wanted_legs_proposal_id_position_key unique (proposal_id, "position"),
  constraint wanted_legs_position_check check ("position" >= 0 and "position" <= 49),
  constraint wanted_legs_quantity_check check (quantity >= 1 and quantity <= 50),
  constraint wanted_legs_collection_id_fkey foreign key (collection_id) references collections(collection_id),
  constraint wanted_legs_proposal_id_fkey foreign key (proposal_id) references proposals(proposal_id) on delete cascade
);
create index wanted_legs_collection on wanted_legs (collection_id);

create table watched_inscriptions (
  inscription_id text not null,
  txid text,
  vout bigint,
  owner_script bytea,
  constraint watched_inscriptions_pkey primary key (inscription_id)
);
create index watched_inscriptions_place on watched_inscriptions (txid_key(txid)) where (txid is not null);
create trigger watched_inscriptions_moved after update on watched_inscriptions referencing old table as before new table as changed for each statement execute function apply_inscription_moves();

create view inscriptions as
 select i.sequence,
    i.inscription_id,
    i.inscription_number,
    i.height,
    i.inscribed_at,
    i.cursed,
    i.vindicated,
    i.unbound,
    i.reinscription,
    i.parent_ids,
    i.delegate_id,
    i.pointer,
    i.content_type,
    i.content_encoding,
    i.metaprotocol,
    i.metadata,
    i.body,
    i.sat,
    i.properties,
    i.property_encoding,
    i.adopted_height,
    i.fee_sats,
    i.born_in,
    i.sat_id,
    r.txid,
    r.vout,
        case
            when s.parent_id is null then s.sat_offset
            else offset_of_sat(s.sat_id)
        end as sat_offset,
    r.output_value_sats,
    r.owner_script
   from inscription_rows i
     left join inscribed_sats s on s.sat_id = i.sat_id
     left join inscribed_sats r on r.sat_id =
        case
            when s.parent_id is null then s.sat_id
            else root_of_sat(s.sat_id)
        end;

CREATE OR REPLACE FUNCTION public.announce(tags text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if cardinality(tags) > 500 then
    perform pg_notify('ordbook', '*');
  else
    perform pg_notify('ordbook', tag) from (select distinct unnest(tags) as tag) each;
  end if;
end $function$;
comment on function announce(text[]) is 'Sends the tags of changed pages to every server.';

CREATE OR REPLACE FUNCTION public.announce_collection_offer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(array['o:' || new.collection_id]);
  return null;
end $function$;
comment on function announce_collection_offer() is 'Publishes that the bids on a collection changed.';

CREATE OR REPLACE FUNCTION public.announce_feed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select 1 from changed where rendered_row is null) then
    perform announce(array(select tg_argv[0]
      union select 'c:' || m.collection_id from changed r join collection_items m using (inscription_id)
        where r.rendered_row is null));
  end if;
  return null;
end $function$;
comment on function announce_feed() is 'Publishes that a feed, and the collections of the rows, must be rendered again.';

CREATE OR REPLACE FUNCTION public.announce_items()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform announce(array(select distinct 'c:' || collection_id from changed where rendered_row is null));
  return null;
end $function$;
comment on function announce_items() is 'Publishes which collections have items that must be rendered again.';

CREATE OR REPLACE FUNCTION public.apply_inscription_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  ids text[] := array(
    select inscription_id from changed join watched_inscriptions using (inscription_id)
    union select d.inscription_id from changed c join inscription_rows d on d.delegate_id = c.inscription_id
      join watched_inscriptions w on w.inscription_id = d.inscription_id);
begin
  if cardinality(ids) = 0 then return null; end if;
  perform update_watched_inscriptions(ids);
  if tg_op = 'INSERT' then
    perform inscribe_items(ids);
  elsif tg_op = 'DELETE' then
    delete from item_transfers where from_script is null and inscription_id in (select inscription_id from changed);
  end if;
  perform drop_rendered_offers(ids);
  perform drop_rendered_sales(ids);
  perform drop_rendered_proposals(ids);
  perform drop_rendered_collection(collection_id) from collections where preview_inscription_id = any(ids);
  perform drop_rendered_listings(ids);
  perform drop_rendered_items(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $function$;
comment on function apply_inscription_changes() is 'Updates places and drops rendered rows when inscriptions are indexed, completed or undone.';

CREATE OR REPLACE FUNCTION public.apply_inscription_moves()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  ids text[] := array(select inscription_id from changed);
begin
  if cardinality(ids) = 0 then return null; end if;
  perform move_owners(array_agg(m.collection_id), array_agg(each.owner_script), array_agg(each.n))
    from before o join changed c using (inscription_id) join collection_items m using (inscription_id),
      lateral (values (o.owner_script, -1), (c.owner_script, 1)) as each (owner_script, n)
    where each.owner_script is not null and o.owner_script is distinct from c.owner_script
    having count(*) > 0;
  perform drop_rendered_listings(ids);
  perform drop_rendered_items(ids);
  perform refresh_proposals(array(select distinct proposal_id from proposal_items where inscription_id = any(ids)));
  return null;
end $function$;
comment on function apply_inscription_moves() is 'Moves owner counts, drops rendered rows and refreshes proposals when watched inscriptions move.';

CREATE OR REPLACE FUNCTION public.best_collection_offer(inscription text, profile uuid, at timestamp with time zone, verified boolean)
 RETURNS TABLE(offer_id uuid, price_sats bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select best.offer_id, best.price_sats from (
    select o.offer_id, o.price_sats, o.created_at
    from collection_items m join collections c using (collection_id), lateral (
      select o.offer_id, o.price_sats, o.created_at
      from collection_offers o join wallet_bindings b using (wallet_binding_id)
      where o.collection_id = m.collection_id and o.state = 'active' and o.executable and o.expires_at > at
        and b.profile_id is distinct from profile and matches_target(o.target, m.traits)
      order by o.price_sats desc, o.created_at, o.offer_id limit 1) o
    where m.inscription_id = inscription and c.trading_enabled and not declines_bids(inscription)
      and (not verified or c.verification_status = 'verified')
  ) best order by best.price_sats desc, best.created_at limit 1
$function$;
comment on function best_collection_offer(text,uuid,timestamp with time zone,boolean) is 'The best collection or trait offer of another profile that can be filled with an inscription now.';

CREATE OR REPLACE FUNCTION public.best_offer(inscription text, profile uuid, at timestamp with time zone)
 RETURNS TABLE(offer_id uuid, price_sats bigint)
 LANGUAGE sql
 STABLE
AS $function$
  select o.offer_id, o.price_sats from offers o join wallet_bindings b on b.wallet_binding_id = o.buyer_binding_id
  where o.inscription_id = inscription and o.state = 'active' and o.kind = 'buyer_offer' and o.expires_at > at
    and b.profile_id is distinct from profile
  order by o.price_sats desc, o.created_at limit 1
$function$;
comment on function best_offer(text,uuid,timestamp with time zone) is 'The best offer of another profile on an inscription itself.';

CREATE OR REPLACE FUNCTION public.bids_on(inscription text, profile uuid, at timestamp with time zone, rate double precision, acceptance_rate double precision)
 RETURNS TABLE(offer_id uuid, price_sats bigint, net_sats bigint, created_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select o.offer_id, o.price_sats,
    seller_net(o.receive_sats, o.settlement_vsize, o.package_vsize, o.paid_sats, rate), o.created_at
  from collection_items m join collections c using (collection_id)
    join collection_offers o using (collection_id) join wallet_bindings b using (wallet_binding_id)
  where m.inscription_id = inscription and c.trading_enabled and not declines_bids(inscription)
    and o.state = 'active' and o.executable and o.expires_at > at and b.profile_id is distinct from profile
    and matches_target(o.target, m.traits)
  union all
  select o.offer_id, o.price_sats,
    seller_net(o.receive_sats, o.settlement_vsize, o.package_vsize, o.paid_sats, acceptance_rate), o.created_at
  from offers o join wallet_bindings b on b.wallet_binding_id = o.buyer_binding_id
  where o.inscription_id = inscription and o.state = 'active' and o.executable and o.kind = 'buyer_offer'
    and o.expires_at > at and b.profile_id is distinct from profile
$function$;
comment on function bids_on(text,uuid,timestamp with time zone,double precision,double precision) is 'Every bid of other profiles that the owner of an inscription may take now, with the owner''s net.';

CREATE OR REPLACE FUNCTION public.book_entries_of(c uuid)
 RETURNS SETOF book_entries
 LANGUAGE sql
 STABLE
AS $function$
  with steps as (
    select e.listing_id, e.event_id, e.to_state, e.occurred_at,
      lead(e.occurred_at) over (partition by e.listing_id order by e.event_id) as left_at
    from collection_items m join listings l using (inscription_id) join order_events e using (listing_id)
    where m.collection_id = c and e.from_state is distinct from e.to_state
  )
  select c, s.listing_id, s.event_id, l.price_sats, l.listed_at, l.expires_at, s.occurred_at,
    case when s.left_at is not null then greatest(s.occurred_at, least(s.left_at, l.expires_at)) end
  from steps s join listings l using (listing_id)
  where s.to_state = 'buyable'
$function$;
comment on function book_entries_of(uuid) is 'Expected rows of book_entries for a collection, computed from the order log.';

CREATE OR REPLACE FUNCTION public.check_market_coin()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare before text := case tg_op when 'INSERT' then 'new' else old.state end;
begin
  if before <> new.state then
    if not exists (select 1 from market_coin_moves where from_state = before and to_state = new.state) then
      raise exception 'market coin %:% cannot go from % to %', new.txid, new.vout, before, new.state;
    end if;
  elsif new.state in ('held', 'retired') and old.reserved_for is distinct from new.reserved_for
    or new.state = 'spending' and old.spending_txid <> new.spending_txid then
    raise exception 'market coin %:% is % already', new.txid, new.vout, new.state;
  end if;
  return null;
end $function$;
comment on function check_market_coin() is 'Refuses a move of a market coin that market_coin_moves does not list.';

CREATE OR REPLACE FUNCTION public.collection_facts(c uuid)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('collection', slug, 'collectionName', name) from collections where collection_id = c
$function$;
comment on function collection_facts(uuid) is 'A collection as the order log names it.';

CREATE OR REPLACE FUNCTION public.collection_offer_made(o collection_offers)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select collection_facts(o.collection_id) || jsonb_build_object('kind', 'collection-offer', 'id', o.offer_id, 'to', 'active',
    'at', utc(o.created_at), 'maker', encode(b.payment_script, 'hex'), 'scope', o.scope_label, 'criteria', o.criteria,
    'eligibleRoot', o.eligible_root, 'eligibleCount', o.eligible_count, 'priceSats', o.price_sats,
    'expiresAt', utc(o.expires_at))
  from wallet_bindings b where b.wallet_binding_id = o.wallet_binding_id
$function$;
comment on function collection_offer_made(collection_offers) is 'A new collection offer for the order log.';

CREATE OR REPLACE FUNCTION public.collection_offer_moved(o collection_offers, was text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'collection-offer', 'id', o.offer_id, 'from', public_state(was),
      'to', public_state(o.state), 'at', utc(coalesce(o.ended_at, clock_timestamp())))
    || case o.state when 'filled' then jsonb_build_object('inscriptionId', o.filled_inscription_id,
      'seller', encode(o.seller_script, 'hex'),
      'txid', (select settlement_txid from settlements s where s.settlement_id = o.settlement_id)) else '{}' end
$function$;
comment on function collection_offer_moved(collection_offers,text) is 'The new state of a collection offer for the order log.';

CREATE OR REPLACE FUNCTION public.collection_owners_of(c uuid)
 RETURNS TABLE(collection_id uuid, owner_hash bytea, item_count integer)
 LANGUAGE sql
 STABLE
AS $function$
  select c, sha256(i.owner_script), count(*)::int from collection_items m join inscriptions i using (inscription_id)
  where m.collection_id = c and i.owner_script is not null group by 2
$function$;
comment on function collection_owners_of(uuid) is 'Expected rows of collection_owners for a collection.';

CREATE OR REPLACE FUNCTION public.collection_sales_of(c uuid)
 RETURNS SETOF collection_sales
 LANGUAGE sql
 STABLE
AS $function$
  select c, s.height, s.sale_id from collection_items m join sales s using (inscription_id) where m.collection_id = c
$function$;
comment on function collection_sales_of(uuid) is 'Expected rows of collection_sales for a collection.';

CREATE OR REPLACE FUNCTION public.collection_transfers_of(c uuid)
 RETURNS SETOF collection_transfers
 LANGUAGE sql
 STABLE
AS $function$
  select c, t.at, t.transfer_id from collection_items m join item_transfers t using (inscription_id) where m.collection_id = c
$function$;
comment on function collection_transfers_of(uuid) is 'Expected rows of collection_transfers for a collection.';

CREATE OR REPLACE FUNCTION public.collection_volumes_of(c uuid)
 RETURNS SETOF collection_volumes
 LANGUAGE sql
 STABLE
AS $function$
  select c, h.hour, sum(s.price_sats)::bigint, count(*)::int
  from collection_sales_of(c) k join sales s using (sale_id), lateral volumes_of_sale(s.sold_at) as h (hour)
  where s.counted group by h.hour
$function$;
comment on function collection_volumes_of(uuid) is 'Expected rows of collection_volumes for a collection.';

CREATE OR REPLACE FUNCTION public.declines_bids(inscription text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (select 1 from declined_bids d join inscriptions i using (inscription_id)
    where d.inscription_id = inscription and i.owner_script = d.owner_script)
$function$;
comment on function declines_bids(text) is 'Whether the owner of an inscription declines collection and trait offers on it.';

CREATE OR REPLACE FUNCTION public.drop_rendered_collection(c uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- Every transaction takes these locks in one order: offers, listings, items.
  update offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (select offer_id from offers where collection_id = c order by offer_id for no key update);
  update collection_offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (select offer_id from collection_offers where collection_id = c order by offer_id for no key update);
  update listings set rendered_row = null, rendered_version = rendered_version + 1
  where state in ('buyable', 'hidden_locked', 'pending_public')
    and inscription_id in (select inscription_id from collection_items where collection_id = c);
  -- Not what this transaction has just put in: no server has read it yet.
  update collection_items set rendered_row = null, rendered_version = rendered_version + 1, rendered_expires_at = null
  where collection_id = c and xmin <> pg_current_xact_id()::xid;
  update sales set rendered_row = null, rendered_version = rendered_version + 1
  where sale_id in (
    select sale_id from collection_sales where collection_id = c
    union select sale_id from sales where collection_id = c);
  update proposals set rendered_row = null, rendered_version = rendered_version + 1
  where proposal_id in (select proposal_id from proposal_collections where collection_id = c);
  perform announce(array['collections', 'listings', 'sales', 'proposals', 'c:' || c]);
end $function$;
comment on function drop_rendered_collection(uuid) is 'Drops every rendered row that shows a collection.';

CREATE OR REPLACE FUNCTION public.drop_rendered_floor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update collection_floors set rendered_row = null, rendered_version = rendered_version + 1 where collection_id = new.collection_id;
  return null;
end $function$;
comment on function drop_rendered_floor() is 'Drops the rendered statistics of a collection when its counts change, at commit.';

CREATE OR REPLACE FUNCTION public.drop_rendered_items(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  update collection_items set rendered_row = null, rendered_version = rendered_version + 1, rendered_expires_at = null
  where inscription_id = any(ids) and (rendered_row is not null or xmin <> pg_current_xact_id()::xid)
$function$;
comment on function drop_rendered_items(text[]) is 'Drops the rendered rows of collection items.';

CREATE OR REPLACE FUNCTION public.drop_rendered_listings(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  update listings set rendered_row = null, rendered_version = rendered_version + 1
  where inscription_id = any(ids) and state in ('buyable', 'hidden_locked', 'pending_public')
$function$;
comment on function drop_rendered_listings(text[]) is 'Drops the rendered rows of live listings.';

CREATE OR REPLACE FUNCTION public.drop_rendered_offers(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  update offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (select offer_id from offers where inscription_id = any(ids) order by offer_id for no key update);
  update collection_offers set rendered_row = null, rendered_version = rendered_version + 1
  where offer_id in (
    select offer_id from collection_offers where sample_inscription_id = any(ids) order by offer_id for no key update)
$function$;
comment on function drop_rendered_offers(text[]) is 'Drops the rendered rows of offers on inscriptions, and of collection offers that show one.';

CREATE OR REPLACE FUNCTION public.drop_rendered_proposals(ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  update proposals set rendered_row = null, rendered_version = rendered_version + 1
  where proposal_id in (select g.proposal_id from collection_items m join wanted_legs g using (collection_id)
    where m.inscription_id = any(ids) and g.target ->> 'kind' = 'inscriptions');
  if found then perform announce(array['proposals']); end if;
end $function$;
comment on function drop_rendered_proposals(text[]) is 'Drops the rendered rows of proposals that want named inscriptions from the collections of some.';

CREATE OR REPLACE FUNCTION public.drop_rendered_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.rendered_row := null;
  new.rendered_version := new.rendered_version + 1;
  return new;
end $function$;
comment on function drop_rendered_row() is 'Drops the rendered row of a row that changes.';

CREATE OR REPLACE FUNCTION public.drop_rendered_sales(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  update sales set rendered_row = null, rendered_version = rendered_version + 1 where inscription_id = any(ids)
$function$;
comment on function drop_rendered_sales(text[]) is 'Drops the rendered rows of sales.';

CREATE OR REPLACE FUNCTION public.final_time(wall timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  select case when (select value from settings where name = 'chain') = 'regtest' then wall
    else least(wall, (select mined_at + interval '2 hours' from blocks order by height desc limit 1)) end
$function$;
comment on function final_time(timestamp with time zone) is 'The time up to which expiries are final: the wall clock, at most two hours after the last block.';

CREATE OR REPLACE FUNCTION public.floor_history_of(c uuid, begin_at timestamp with time zone)
 RETURNS SETOF floor_history
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  times timestamptz[] := array(
    select opened_at from book_entries where collection_id = c and opened_at >= begin_at
    union select closed_at from book_entries where collection_id = c and closed_at >= begin_at
    order by 1);
  beyond constant int := cardinality(times) + 1;
  floors bigint[] := array_fill(null::bigint, array[beyond - 1]);
  later int[] := array(select generate_series(1, beyond));
  e record;
  i int;
begin
  for e in
    with at as materialized (select since, n::int from unnest(times) with ordinality t(since, n)),
    entries as (
      select price_sats, opened_at, closed_at from book_entries where collection_id = c and opened_at >= begin_at
      union all
      select price_sats, opened_at, closed_at from book_entries
      where collection_id = c and closed_at >= begin_at and opened_at < begin_at
      union all
      (select price_sats, opened_at, null from book_entries
      where collection_id = c and closed_at is null and opened_at < begin_at order by -price_sats desc limit 1)
    )
    select price_sats, coalesce(opened.n, 1) as first, case when closed_at is null then beyond else closed.n end as past
    from entries left join at opened on opened.since = opened_at left join at closed on closed.since = closed_at
    order by price_sats
  loop
    i := e.first;
    loop
      while later[i] <> i loop
        later[i] := later[later[i]];
        i := later[i];
      end loop;
      exit when i < e.past is not true;
      floors[i] := e.price_sats;
      later[i] := i + 1;
    end loop;
  end loop;
  return query
    select c, s.since, s.floor_sats from (
      select t.since, t.floor_sats, lag(t.floor_sats, 1, (
        select h.floor_sats from floor_history h where h.collection_id = c and h.since < begin_at order by h.since desc limit 1
      )) over (order by t.n) as before
      from unnest(times, floors) with ordinality t(since, floor_sats, n)
    ) s where s.floor_sats is distinct from s.before;
end $function$;
comment on function floor_history_of(uuid,timestamp with time zone) is 'The steps of a collection''s floor from a time on, computed from its book entries.';

CREATE OR REPLACE FUNCTION public.floors_of(c uuid)
 RETURNS TABLE(floor_sats bigint, listed_count integer, next_expiry_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
  select min(price_sats), count(*)::int, min(expires_at) from book_entries where collection_id = c and closed_at is null
$function$;
comment on function floors_of(uuid) is 'Expected rows of collection_floors for a collection, computed from its book entries.';

CREATE OR REPLACE FUNCTION public.hold_lease(which text, mine bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform from leases where role = which and token = mine for key share;
  if not found then
    raise exception 'another process holds the lease of the %', which using errcode = 'OB001';
  end if;
end $function$;
comment on function hold_lease(text,bigint) is 'Fails with OB001 unless the caller''s token still holds the lease of a role, and keeps it held until the transaction ends.';

CREATE OR REPLACE FUNCTION public.inscribe_items(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into item_transfers (inscription_id, height, at, txid)
  select i.inscription_id, i.height, i.inscribed_at, left(i.inscription_id, 64)
  from inscription_rows i where i.inscription_id = any(ids)
    and exists (select 1 from collection_items m where m.inscription_id = i.inscription_id)
  order by i.sequence
  on conflict (inscription_id) where from_script is null do nothing
$function$;
comment on function inscribe_items(text[]) is 'Records when items were inscribed, those among some inscriptions that the index has.';

CREATE OR REPLACE FUNCTION public.is_available(p uuid, creator bytea)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select not exists (
    select 1 from proposal_items o left join inscriptions i using (inscription_id)
    where o.proposal_id = p and (i.owner_script is distinct from creator
      or exists (select 1 from mempool_spends m where m.txid = i.txid and m.vout = i.vout)
      or exists (select 1 from listings l where l.inscription_id = o.inscription_id and l.state = 'hidden_locked')
      or exists (select 1 from settlements s
        where s.state in ('intended', 'broadcast') and o.inscription_id = any(s.inscription_ids))))
    and not exists (select 1 from backing_coins b where b.offer_id = p and b.gone is not null)
$function$;
comment on function is_available(uuid,bytea) is 'Whether a proposal''s creator holds everything that it offers, in no trade under way and with its payment coins there.';

CREATE OR REPLACE FUNCTION public.leave_collections()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from collection_sales where sale_id = old.sale_id;
  return old;
end $function$;
comment on function leave_collections() is 'Takes a sale out of its collections before it is deleted.';

CREATE OR REPLACE FUNCTION public.listing_change(e order_events)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'listing', 'id', e.listing_id, 'from', e.from_state, 'to', e.to_state, 'reason', e.reason,
      'guarantee', e.guarantee, 'height', e.height, 'at', utc(e.occurred_at))
    || case when e.from_state is not null then '{}' else collection_facts(l.collection_id) || jsonb_build_object(
      'inscriptionId', l.inscription_id, 'seller', encode(l.seller_script, 'hex'), 'priceSats', l.price_sats,
      'coin', l.coin_txid || ':' || l.coin_vout, 'transferTxid', l.transfer_txid, 'expiresAt', utc(l.expires_at)) end
  from listings l where l.listing_id = e.listing_id
$function$;
comment on function listing_change(order_events) is 'An event of a listing for the order log; the first one with what was listed.';

CREATE OR REPLACE FUNCTION public.listing_coin(l listings)
 RETURNS TABLE(txid text, vout bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when l.transfer_height is null then l.coin_txid else l.transfer_txid end,
    case when l.transfer_height is null then l.coin_vout else l.escrow_vout end
$function$;
comment on function listing_coin(listings) is 'The coin of a live listing: the one it was signed over, or its escrow coin once the transfer is in a block.';

CREATE OR REPLACE FUNCTION public.listing_state(l listings)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when exists (select 1 from settlements s
      where s.state in ('intended', 'broadcast') and l.inscription_id = any(s.inscription_ids)) then 'hidden_locked'
    when exists (select 1 from mempool_spends m
      where m.txid = c.txid and m.vout = c.vout and m.spender <> l.transfer_txid) then 'hidden_locked'
    when exists (select 1 from inscriptions i
      where i.inscription_id = l.inscription_id and i.txid = c.txid and i.vout = c.vout) then 'buyable'
    else 'pending_public' end
  from listing_coin(l) c
$function$;
comment on function listing_state(listings) is 'The state that a live listing should have, by settlements, mempool and index.';

CREATE OR REPLACE FUNCTION public.log_change(change jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- An import brings the changes with their positions.
  if change is null or current_setting('ordbook.importing', true) = 'on' then return; end if;
  insert into order_changes (change) values (jsonb_strip_nulls(log_change.change));
end $function$;
comment on function log_change(jsonb) is 'Writes a change down for the order log.';

CREATE OR REPLACE FUNCTION public.log_collection_offer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_change(case tg_op when 'INSERT' then collection_offer_made(new) else collection_offer_moved(new, old.state) end);
  return null;
end $function$;
comment on function log_collection_offer() is 'Logs a collection offer.';

CREATE OR REPLACE FUNCTION public.log_listing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_change(listing_change(new));
  return null;
end $function$;
comment on function log_listing() is 'Logs an event of a listing.';

CREATE OR REPLACE FUNCTION public.log_offer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_change(case tg_op when 'INSERT' then offer_made(new) else offer_moved(new, old.state) end);
  return null;
end $function$;
comment on function log_offer() is 'Logs an offer.';

CREATE OR REPLACE FUNCTION public.log_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_change(case tg_op when 'INSERT' then proposal_made(new) else proposal_moved(new, old.state) end);
  return null;
end $function$;
comment on function log_proposal() is 'Logs a public proposal.';

CREATE OR REPLACE FUNCTION public.log_sale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_change(case tg_op when 'INSERT' then sale_change(new, false) else sale_change(old, true) end);
  return null;
end $function$;
comment on function log_sale() is 'Logs a sale of this market.';

CREATE OR REPLACE FUNCTION public.log_trade()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform log_change(trade_change(new));
  return null;
end $function$;
comment on function log_trade() is 'Logs a trade of items.';

CREATE OR REPLACE FUNCTION public.matches_target(target jsonb, traits jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select target ->> 'kind' = 'all' or not exists (
    select 1 from jsonb_array_elements(target -> 'traits') as g (wanted)
    where not exists (
      select 1 from jsonb_to_recordset(traits) as t (type text, value text)
      where t.type = wanted ->> 'type' and wanted -> 'values' ? t.value))
$function$;
comment on function matches_target(jsonb,jsonb) is 'Whether an item with these traits meets a target: groups are joined by AND, the values of a group by OR.';

CREATE OR REPLACE FUNCTION public.move_owners(cs uuid[], owners bytea[], ns integer[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  with moved as materialized (
    select c, sha256(owner) as hash, sum(n)::int as n from unnest(cs, owners, ns) as each (c, owner, n)
    group by 1, 2 having sum(n) <> 0
  ), held as (
    insert into collection_owners as o (collection_id, owner_hash, item_count) select c, hash, n from moved order by c, hash
    on conflict (collection_id, owner_hash) do update set item_count = o.item_count + excluded.item_count
    returning collection_id, owner_hash, item_count
  ), changed as (
    select m.c, sum(case h.item_count when 0 then -1 when m.n then 1 else 0 end)::int as n
    from held h join moved m on m.c = h.collection_id and m.hash = h.owner_hash group by m.c
  )
  update collection_counts k set owner_count = k.owner_count + changed.n
  from changed where k.collection_id = changed.c and changed.n <> 0;
  if 0 > any(ns) then
    delete from collection_owners o using unnest(cs, owners) as each (c, owner)
    where o.collection_id = each.c and o.owner_hash = sha256(each.owner) and o.item_count = 0;
  end if;
end $function$;
comment on function move_owners(uuid[],bytea[],integer[]) is 'Adds items to owners'' counts in collections, or takes them away, and counts the owners.';

CREATE OR REPLACE FUNCTION public.name_skeleton(name text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  skeleton text := normalize(left(name, 200), nfkd);
  alike text;
begin
  foreach alike in array array[
    'aаАαΑɑᴀᎪ@4🅰', 'bВβΒßʙᏼƅЬь₿8🅱', 'cсСᴄᏟϲ', 'dԁᴅᎠđĐ', 'eеЕεΕᴇᎬєЄ3', 'fꜰƒ', 'gɡɢԌց9', 'hНнһΗʜᎻհħĦ', 'jјЈᴊᎫ', 'kКкΚκᴋᏦ',
    'lıІіΙιɩɪӀӏʟᏞłŁ1', 'mМмΜᴍᎷ', 'nηΝпոɴ', 'oоОοΟσоօᴏøØ0🅾', 'pрРρΡᴘᏢ🅿', 'qԛ', 'rгʀ', 'sѕЅꜱᏚ5', 'tТтΤτᴛᎢŧŦ7', 'uυսᴜ', 'vѵνᴠᏙ',
    'wԝωᴡᏔ', 'xхХχΧ', 'yуУүΥγʏᎩ', 'zΖᴢᏃ2'] loop
    skeleton := translate(skeleton, substr(alike, 2), repeat(left(alike, 1), length(alike) - 1));
  end loop;
  -- A mark between letters stands for a letter.
  skeleton := regexp_replace(lower(skeleton), '(?<=[a-z])[!|](?=[a-z])', 'l', 'g');
  skeleton := regexp_replace(translate(skeleton, 'i', 'l'), '(?<=[a-z$])\$(?=[a-z$])', 's', 'g');
  -- Accents, spaces, punctuation, and characters that are not drawn.
  skeleton := regexp_replace(skeleton,
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a0\u00a8\u00ad\u00b4\u00b7\u0300-\u036f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u2000-\u206f\u20d0-\u20ff\u3000\u30fb\u3164\ufe00-\ufe2f\ufeff\uffa0\U000e0000-\U000e0fff]+',
    '', 'g');
  return left(replace(replace(skeleton, 'rn', 'm'), 'vv', 'w'), 200);
end $function$;
comment on function name_skeleton(text) is 'A name without the differences that readers overlook: case, accents, spaces, punctuation, look-alike characters.';

CREATE OR REPLACE FUNCTION public.offer_made(o offers)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select collection_facts(o.collection_id) || jsonb_build_object('kind', 'offer', 'id', o.offer_id, 'to', 'active',
    'at', utc(o.created_at), 'inscriptionId', o.inscription_id, 'buyer', encode(o.buyer_script, 'hex'),
    'seller', encode(o.seller_script, 'hex'), 'priceSats', o.price_sats, 'postageSats', o.postage_sats,
    'economics', o.economics, 'expiresAt', utc(o.expires_at))
$function$;
comment on function offer_made(offers) is 'A new offer for the order log.';

CREATE OR REPLACE FUNCTION public.offer_moved(o offers, was text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'offer', 'id', o.offer_id, 'from', public_state(was), 'to', public_state(o.state),
    'at', utc(coalesce(o.ended_at, clock_timestamp())), 'txid', case o.state when 'accepted' then o.settlement_txid end)
$function$;
comment on function offer_moved(offers,text) is 'The new state of an offer for the order log.';

CREATE OR REPLACE FUNCTION public.offset_of_sat(id bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  with recursive up as (
    select sat_id, parent_id, sat_offset from inscribed_sats where sat_id = id
    union all select s.sat_id, s.parent_id, s.sat_offset
    from up, lateral (select * from inscribed_sats each where each.sat_id = up.parent_id offset 0) s)
  select sum(sat_offset)::bigint from up
$function$;
comment on function offset_of_sat(bigint) is 'The offset of an inscribed sat in its output.';

CREATE OR REPLACE FUNCTION public.proposal_collections_of(id uuid)
 RETURNS SETOF proposal_collections
 LANGUAGE sql
 STABLE
AS $function$
  select c.collection_id, p.created_at, p.proposal_id from proposals p, lateral (
    select collection_id from wanted_legs g where g.proposal_id = p.proposal_id
    union select m.collection_id from proposal_items o join collection_items m using (inscription_id)
      where o.proposal_id = p.proposal_id) c
  where p.proposal_id = id and p.state = 'active' and p.visibility = 'public' and p.available
$function$;
comment on function proposal_collections_of(uuid) is 'Expected rows of proposal_collections for a proposal.';

CREATE OR REPLACE FUNCTION public.proposal_made(p proposals)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'proposal', 'id', p.proposal_id, 'to', 'active', 'at', utc(p.created_at),
    'creator', encode(p.creator_script, 'hex'), 'offeredSats', p.offered_btc_sats, 'requestedSats', p.requested_btc_sats,
    'inscriptionIds', (select coalesce(jsonb_agg(inscription_id order by position), '[]') from proposal_items i
      where i.proposal_id = p.proposal_id),
    'wanted', (select coalesce(jsonb_agg(jsonb_build_object('collection', c.slug, 'quantity', w.quantity, 'target', w.target)
        order by w.position), '[]')
      from wanted_legs w join collections c using (collection_id) where w.proposal_id = p.proposal_id),
    'expiresAt', utc(p.expires_at))
$function$;
comment on function proposal_made(proposals) is 'A new public proposal for the order log.';

CREATE OR REPLACE FUNCTION public.proposal_moved(p proposals, was text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'proposal', 'id', p.proposal_id, 'from', was, 'to', p.state,
    'at', utc(coalesce(p.ended_at, clock_timestamp())))
$function$;
comment on function proposal_moved(proposals,text) is 'The new state of a public proposal for the order log.';

CREATE OR REPLACE FUNCTION public.public_state(state text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case when state in ('accepting', 'filling') then 'active' else state end
$function$;
comment on function public_state(text) is 'The state of an offer as the public sees it.';

CREATE OR REPLACE FUNCTION public.publish(what text, about jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  -- An import brings what is long past.
  if current_setting('ordbook.importing', true) = 'on' then return; end if;
  insert into live_events (kind, data) values (what, about);
end $function$;
comment on function publish(text,jsonb) is 'Writes an event for the subscribers of GET /events.';

CREATE OR REPLACE FUNCTION public.publish_block()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  b blocks := case tg_op when 'DELETE' then old else new end;
begin
  perform publish('block', jsonb_build_object('height', b.height, 'hash', b.block_hash, 'undone', tg_op = 'DELETE'));
  return null;
end $function$;
comment on function publish_block() is 'Publishes a block that was indexed or undone.';

CREATE OR REPLACE FUNCTION public.publish_collection_offer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform publish('collection_offer', jsonb_build_object('offerId', new.offer_id,
    'state', case new.state when 'filling' then 'active' else new.state end, 'priceSats', new.price_sats,
    'collections', (select jsonb_build_array(slug) from collections where collection_id = new.collection_id)));
  return null;
end $function$;
comment on function publish_collection_offer() is 'Publishes a collection offer''s new state.';

CREATE OR REPLACE FUNCTION public.publish_floor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform publish('floor', jsonb_build_object('collections', jsonb_build_array(new.slug), 'floorSats', new.floor_sats,
    'listedCount', new.listed_count));
  return null;
end $function$;
comment on function publish_floor() is 'Publishes a collection''s new floor or number of listings.';

CREATE OR REPLACE FUNCTION public.publish_listing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  perform publish('listing', jsonb_build_object('listingId', l.listing_id, 'inscriptionId', l.inscription_id,
    'state', new.to_state, 'priceSats', l.price_sats, 'collections', slugs_of(l.inscription_id)))
    from listings l where l.listing_id = new.listing_id;
  return null;
end $function$;
comment on function publish_listing() is 'Publishes a listing''s new state.';

CREATE OR REPLACE FUNCTION public.publish_offer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform publish('offer', jsonb_build_object('offerId', new.offer_id, 'inscriptionId', new.inscription_id,
    'state', case new.state when 'accepting' then 'active' else new.state end,
    'priceSats', case new.kind when 'buyer_offer' then new.price_sats end, 'collections', slugs_of(new.inscription_id)));
  return null;
end $function$;
comment on function publish_offer() is 'Publishes an offer''s new state.';

CREATE OR REPLACE FUNCTION public.publish_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform publish('proposal', jsonb_build_object('proposalId', new.proposal_id,
    'state', new.state, 'available', new.available));
  return null;
end $function$;
comment on function publish_proposal() is 'Publishes the state and availability of a public proposal.';

CREATE OR REPLACE FUNCTION public.publish_sale()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- An index that reads the past finds many old sales.
  if new.sold_at < now() - interval '1 day' then return null; end if;
  perform publish('sale', jsonb_build_object('inscriptionId', new.inscription_id, 'priceSats', new.price_sats,
    'txid', new.txid, 'saleType', new.sale_type, 'collections', slugs_of(new.inscription_id)));
  return null;
end $function$;
comment on function publish_sale() is 'Publishes a sale of the last day.';

CREATE OR REPLACE FUNCTION public.rarity_ranks_of(c uuid)
 RETURNS TABLE(inscription_id text, rarity_rank integer)
 LANGUAGE sql
 STABLE
AS $function$
  with scores as (
    select m.inscription_id, m.ordinal, (
      select coalesce(sum(1e6 * n.item_count / t.item_count), 0) from jsonb_to_recordset(m.traits) as x (type text, value text)
      join trait_counts t on t.collection_id = c and t.trait_type = x.type and t.trait_value = x.value) as score
    from collection_items m join collection_counts n using (collection_id) where m.collection_id = c
  )
  select inscription_id, (row_number() over (order by score desc, ordinal, inscription_id collate "C"))::int from scores
$function$;
comment on function rarity_ranks_of(uuid) is 'The place of each item of a collection by the rarity of its traits, 1 the rarest, computed from the counts of its traits.';

CREATE OR REPLACE FUNCTION public.rebuild_collection(c uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('ordbook.rebuilding', 'on', true);
  lock table order_events in share row exclusive mode;
  delete from book_entries where collection_id = c;
  insert into book_entries select * from book_entries_of(c);
  insert into collection_floors as f (collection_id, slug, floor_sats, listed_count, next_expiry_at, rolled_at)
  select c, (select slug from collections where collection_id = c), r.*, clock_timestamp() from floors_of(c) r
  on conflict (collection_id) do update set floor_sats = excluded.floor_sats, listed_count = excluded.listed_count,
    next_expiry_at = excluded.next_expiry_at, rolled_at = excluded.rolled_at, rendered_row = null,
    rendered_version = f.rendered_version + 1;
  delete from floor_history where collection_id = c;
  insert into floor_history select * from floor_history_of(c, '-infinity');
  delete from collection_sales where collection_id = c;
  -- Wrong sums may be left of it; the trigger of the next statement makes them again.
  delete from collection_volumes where collection_id = c;
  insert into collection_sales select * from collection_sales_of(c);
  perform inscribe_items(array(select inscription_id from collection_items where collection_id = c));
  delete from collection_transfers where collection_id = c;
  insert into collection_transfers select * from collection_transfers_of(c);
  delete from collection_owners where collection_id = c;
  insert into collection_owners (collection_id, owner_hash, item_count) select * from collection_owners_of(c);
  insert into collection_counts
  select c, (select count(*) from collection_items where collection_id = c),
    (select count(*) from collection_owners where collection_id = c)
  on conflict (collection_id) do update set item_count = excluded.item_count, owner_count = excluded.owner_count;
  delete from trait_counts where collection_id = c;
  insert into trait_counts select * from trait_counts_of(c);
  perform drop_rendered_collection(c);
  -- After the rendered rows are dropped, which passes over rows that this transaction has written.
  update collection_items m set rarity_rank = r.rarity_rank from rarity_ranks_of(c) r
  where m.collection_id = c and m.inscription_id = r.inscription_id and m.rarity_rank is distinct from r.rarity_rank;
  perform refresh_proposals(array(
    select proposal_id from proposal_collections where collection_id = c
    union select o.proposal_id from proposal_items o join collection_items m using (inscription_id)
      where m.collection_id = c));
end $function$;
comment on function rebuild_collection(uuid) is 'Recomputes everything that is derived for a collection, while no order may come or go.';

CREATE OR REPLACE FUNCTION public.refresh_collection()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into collection_floors (collection_id, slug, listed_count, rolled_at)
    values (new.collection_id, new.slug, 0, clock_timestamp());
    insert into collection_counts values (new.collection_id, 0, 0);
    perform announce(array['collections']);
  else
    perform drop_rendered_collection(new.collection_id);
  end if;
  return null;
end $function$;
comment on function refresh_collection() is 'Gives a new collection its empty statistics; drops every rendered row that shows a changed one.';

CREATE OR REPLACE FUNCTION public.refresh_locked_proposals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform refresh_proposals(array(select proposal_id from proposal_items where inscription_id = new.inscription_id));
  return null;
end $function$;
comment on function refresh_locked_proposals() is 'Refreshes the proposals that offer an inscription when a trade locks or releases its listing.';

CREATE OR REPLACE FUNCTION public.refresh_proposal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform refresh_proposals(array[new.proposal_id]);
  return null;
end $function$;
comment on function refresh_proposal() is 'Refreshes a proposal that is new or has moved.';

CREATE OR REPLACE FUNCTION public.refresh_proposals(ids uuid[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if cardinality(ids) = 0 then return; end if;
  update proposals set available = is_available(proposal_id, creator_script),
    rendered_row = null, rendered_version = rendered_version + 1
  where proposal_id = any(ids);
  delete from proposal_collections where proposal_id = any(ids);
  insert into proposal_collections
  select r.* from unnest(ids) as each (proposal_id), lateral proposal_collections_of(each.proposal_id) r;
  perform announce(array['proposals']);
end $function$;
comment on function refresh_proposals(uuid[]) is 'Recomputes availability and collections of proposals and drops their rendered rows.';

CREATE OR REPLACE FUNCTION public.refresh_settling_proposals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform refresh_proposals(array(select proposal_id from proposal_items where inscription_id = any(new.inscription_ids)));
  return null;
end $function$;
comment on function refresh_settling_proposals() is 'Refreshes the proposals that offer what a settlement takes.';

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name;
end $function$;
comment on function refuse_change() is 'Refuses every change of an append-only table.';

CREATE OR REPLACE FUNCTION public.root_of_sat(id bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE
AS $function$
  with recursive up as (
    select sat_id, parent_id from inscribed_sats where sat_id = id
    union all select s.sat_id, s.parent_id
    from up, lateral (select * from inscribed_sats each where each.sat_id = up.parent_id offset 0) s)
  select sat_id from up where parent_id is null
$function$;
comment on function root_of_sat(bigint) is 'The root of the tree that an inscribed sat belongs to, which knows the output.';

CREATE OR REPLACE FUNCTION public.sale_change(s sales, undone boolean)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'sale', 'id', s.txid || ':' || s.inscription_id,
    'to', case when undone then 'undone' else 'sold' end, 'at', utc(s.sold_at), 'txid', s.txid, 'height', s.height,
    'inscriptionId', s.inscription_id, 'seller', encode(s.seller_script, 'hex'), 'buyer', encode(s.buyer_script, 'hex'),
    'priceSats', s.price_sats) || coalesce(collection_facts(s.collection_id), '{}')
$function$;
comment on function sale_change(sales,boolean) is 'A sale of this market for the order log.';

CREATE OR REPLACE FUNCTION public.sats_held_by(hash bytea)
 RETURNS TABLE(sat_id bigint, txid text, vout bigint, output_value_sats bigint)
 LANGUAGE sql
 STABLE ROWS 100
AS $function$
  select r.sat_id, r.txid, r.vout, r.output_value_sats from inscribed_sats r
  where sha256(r.owner_script) = hash and r.low_offset = r.high_offset
  union all
  select s.sat_id, r.txid, r.vout, r.output_value_sats from inscribed_sats r, lateral sats_in(r.sat_id) s
  where sha256(r.owner_script) = hash and r.low_offset < r.high_offset
$function$;
comment on function sats_held_by(bytea) is 'The inscribed sats in the outputs of a script, by its hash.';

CREATE OR REPLACE FUNCTION public.sats_in(root bigint)
 RETURNS TABLE(sat_id bigint, sat_offset bigint)
 LANGUAGE sql
 STABLE ROWS 1
AS $function$
  with recursive down as (
    select s.sat_id, s.sat_offset from inscribed_sats s where s.sat_id = root
    union all select s.sat_id, down.sat_offset + s.sat_offset
    from down, lateral (select * from inscribed_sats each where each.parent_id = down.sat_id offset 0) s)
  select down.sat_id, down.sat_offset from down
$function$;
comment on function sats_in(bigint) is 'The inscribed sats in the output of a root, with their offsets.';

CREATE OR REPLACE FUNCTION public.sats_in_from(root bigint, place bigint, most bigint)
 RETURNS TABLE(sat_id bigint, sat_offset bigint)
 LANGUAGE plpgsql
 STABLE ROWS 1
AS $function$
declare
  waiting bigint[] := '{}';
  waiting_at bigint[] := '{}';
  last int := 0;
begin
  select s.sat_id, s.sat_offset into sat_id, sat_offset from inscribed_sats s where s.sat_id = root;
  for n in 1 .. most loop
    while sat_id is not null loop
      if sat_offset >= place then
        last := last + 1;
        waiting[last] := sat_id;
        waiting_at[last] := sat_offset;
      end if;
      select s.sat_id, sats_in_from.sat_offset + s.sat_offset into sat_id, sat_offset from inscribed_sats s
        where s.parent_id = sats_in_from.sat_id and (s.sat_offset < 0) = (sats_in_from.sat_offset >= place);
    end loop;
    exit when last = 0;
    sat_id := waiting[last];
    sat_offset := waiting_at[last];
    last := last - 1;
    return next;
    select s.sat_id, sats_in_from.sat_offset + s.sat_offset into sat_id, sat_offset from inscribed_sats s
      where s.parent_id = sats_in_from.sat_id and s.sat_offset > 0;
  end loop;
end $function$;
comment on function sats_in_from(bigint,bigint,bigint) is 'The first inscribed sats in the output of a root at a place or behind it, in order, with their offsets.';

CREATE OR REPLACE FUNCTION public.search_phrase(name text, word integer)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
declare
  words text[] := string_to_array(btrim(regexp_replace(
    regexp_replace(lower(normalize(left(name, 200), nfkc)), '([\u2190-\u2bff\U0001f000-\U0001faff])', ' \1 ', 'g'),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f]+', ' ', 'g')), ' ');
  most integer := cardinality(words);
begin
  if word = 0 then return case when most > 3 then left(words[most], 40) end; end if;
  return case when word <= most then left(array_to_string(words[word:], ' '), 40) end;
end $function$;
comment on function search_phrase(text,integer) is 'The start of a name from its first, second or third word on (1 to 3), or its last word where that is a later one (0); null where there is none.';

CREATE OR REPLACE FUNCTION public.seller_net(receive_sats bigint, settlement_vsize bigint, package_vsize bigint, paid_sats bigint, rate double precision)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select receive_sats - case when settlement_vsize * rate <= paid_sats then 0
    else greatest(ceil(package_vsize * rate - 0.000001)::bigint - paid_sats, 0) end
$function$;
comment on function seller_net(bigint,bigint,bigint,bigint,double precision) is 'The seller''s net of a bid at a fee rate, in sats; may be below zero.';

CREATE OR REPLACE FUNCTION public.settled_before()
 RETURNS xid8
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(min(open.id), pg_snapshot_xmax(pg_current_snapshot()))
  from pg_snapshot_xip(pg_current_snapshot()) as open (id)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = open.id::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database()))
$function$;
comment on function settled_before() is 'The transaction below which every transaction of this database is over.';

CREATE OR REPLACE FUNCTION public.slugs_of(id text)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(jsonb_agg(c.slug order by c.slug), '[]') from collection_items m join collections c using (collection_id)
  where m.inscription_id = id
$function$;
comment on function slugs_of(text) is 'The slugs of an inscription''s collections.';

CREATE OR REPLACE FUNCTION public.trade_change(s settlements)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
  select jsonb_build_object('kind', 'trade', 'id', s.settlement_id, 'to', case s.state when 'confirmed' then 'sold' else 'undone' end,
    'at', utc(coalesce((select mined_at from blocks b where b.height = s.confirmed_height), clock_timestamp())),
    'txid', s.settlement_txid, 'height', s.confirmed_height, 'inscriptionIds', to_jsonb(s.inscription_ids),
    'proposer', encode(p.creator_script, 'hex'), 'acceptor', encode(a.acceptor_script, 'hex'))
  from acceptances a join proposals p using (proposal_id) where a.settlement_id = s.settlement_id
$function$;
comment on function trade_change(settlements) is 'A trade of items that a block has, or has no more, for the order log.';

CREATE OR REPLACE FUNCTION public.trait_counts_of(c uuid)
 RETURNS SETOF trait_counts
 LANGUAGE sql
 STABLE
AS $function$
  select c, t.type, t.value, count(distinct inscription_id)::int
  from collection_items, jsonb_to_recordset(traits) as t (type text, value text)
  where collection_id = c group by 2, 3
$function$;
comment on function trait_counts_of(uuid) is 'Expected rows of trait_counts for a collection.';

CREATE OR REPLACE FUNCTION public.transfer_key(id bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select 'm' || id::text
$function$;
comment on function transfer_key(bigint) is 'The key of a transfer among the activity of the market. It never changes: indexes hold its values.';

CREATE OR REPLACE FUNCTION public.txid_key(txid text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((('x'::text || "left"(txid, 12)))::bit(48))::bigint;
comment on function txid_key(text) is 'The first 48 bits of a txid as a number, by which outputs are looked up. Indexes hold its values, so it never changes.';

CREATE OR REPLACE FUNCTION public.update_book_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  l listings;
begin
  if new.from_state is not distinct from new.to_state then return null; end if;
  select * into l from listings where listing_id = new.listing_id;
  if new.from_state = 'buyable' then
    update book_entries set closed_at = greatest(opened_at, least(new.occurred_at, expires_at))
    where listing_id = new.listing_id and closed_at is null;
  end if;
  if new.to_state = 'buyable' then
    insert into book_entries (collection_id, listing_id, opened_by, price_sats, listed_at, expires_at, opened_at)
    select m.collection_id, l.listing_id, new.event_id, l.price_sats, l.listed_at, l.expires_at, new.occurred_at
    from collection_items m where m.inscription_id = l.inscription_id;
  end if;
  perform drop_rendered_items(array[l.inscription_id]);
  return null;
end $function$;
comment on function update_book_entries() is 'Opens or closes the book entries of a listing when it enters or leaves the book.';

CREATE OR REPLACE FUNCTION public.update_collection_floor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  begin_at timestamptz := case when new.closed_at is null then new.opened_at else new.closed_at end;
begin
  if current_setting('ordbook.rebuilding', true) = 'on' then return null; end if;
  perform 1 from collection_floors where collection_id = new.collection_id for no key update;
  update collection_floors f set
    floor_sats = (select a.price_sats from book_entries a
      where a.collection_id = f.collection_id and a.closed_at is null order by -a.price_sats desc limit 1),
    listed_count = f.listed_count + case when new.closed_at is null then 1 else -1 end,
    next_expiry_at = (select min(a.expires_at) from book_entries a
      where a.collection_id = f.collection_id and a.closed_at is null and a.expires_at is not null),
    rolled_at = clock_timestamp(), rendered_row = null, rendered_version = f.rendered_version + 1
  where f.collection_id = new.collection_id;
  delete from floor_history where collection_id = new.collection_id and since >= begin_at;
  insert into floor_history select * from floor_history_of(new.collection_id, begin_at);
  perform announce(array['listings', 'c:' || new.collection_id]);
  return null;
end $function$;
comment on function update_collection_floor() is 'Updates the floor, the number of book entries and the floor history of a collection, at commit.';

CREATE OR REPLACE FUNCTION public.update_collection_sales()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into collection_sales
    select m.collection_id, s.height, s.sale_id from changed s join collection_items m using (inscription_id);
  end if;
  perform drop_rendered_items(array(select distinct inscription_id from changed));
  perform announce(array['sales']);
  return null;
end $function$;
comment on function update_collection_sales() is 'Adds new sales to their collections and drops the rendered rows of their items.';

CREATE OR REPLACE FUNCTION public.update_collection_transfers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into collection_transfers
  select m.collection_id, t.at, t.transfer_id from changed t join collection_items m using (inscription_id);
  return null;
end $function$;
comment on function update_collection_transfers() is 'Adds new transfers to the collections of their items; the foreign key takes deleted ones away.';

CREATE OR REPLACE FUNCTION public.update_collection_volumes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into collection_volumes as v
  select k.collection_id, h.hour, sign * sum(s.price_sats)::bigint, sign * count(*)::int
  from changed k join sales s using (sale_id), lateral volumes_of_sale(s.sold_at) as h (hour)
  where s.counted group by 1, 2 order by 1, 2
  on conflict (collection_id, hour) do update set
    volume_sats = v.volume_sats + excluded.volume_sats, sale_count = v.sale_count + excluded.sale_count;
  if tg_op = 'DELETE' then
    delete from collection_volumes v
    using changed k join sales s using (sale_id), lateral volumes_of_sale(s.sold_at) as h (hour)
    where v.collection_id = k.collection_id and v.hour = h.hour and v.sale_count = 0;
  end if;
  return null;
end $function$;
comment on function update_collection_volumes() is 'Adds the sales that came to a collection to its sums, and takes away those that left it.';

CREATE OR REPLACE FUNCTION public.update_watched_inscriptions(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  update watched_inscriptions w set txid = p.txid, vout = p.vout, owner_script = p.owner_script
  from (
    select each.inscription_id, i.txid, i.vout, i.owner_script
    from unnest(ids) as each (inscription_id) left join inscriptions i using (inscription_id)
  ) p
  where w.inscription_id = p.inscription_id and (w.txid, w.vout) is distinct from (p.txid, p.vout)
$function$;
comment on function update_watched_inscriptions(text[]) is 'Takes over the present places of watched inscriptions.';

CREATE OR REPLACE FUNCTION public.utc(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$function$;
comment on function utc(timestamp with time zone) is 'A time as text, the same in every session.';

CREATE OR REPLACE FUNCTION public.volumes_of_sale(sold_at timestamp with time zone)
 RETURNS SETOF timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  values (date_bin('1 hour', sold_at, '2000-01-01 00:00:00+00')), ('-infinity'::timestamptz)
$function$;
comment on function volumes_of_sale(timestamp with time zone) is 'The hours in whose sums a sale is: its own, and that of all time.';

CREATE OR REPLACE FUNCTION public.watch_collection()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform watch_inscriptions(array[new.source_inscription_id, new.preview_inscription_id]);
  return null;
end $function$;
comment on function watch_collection() is 'Watches the source and the preview of a collection.';

CREATE OR REPLACE FUNCTION public.watch_inscriptions(ids text[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into watched_inscriptions (inscription_id, txid, vout, owner_script)
  select w.inscription_id, i.txid, i.vout, i.owner_script
  from (select distinct unnest(ids) as inscription_id) w left join inscriptions i using (inscription_id)
  where w.inscription_id is not null
  on conflict do nothing
$function$;
comment on function watch_inscriptions(text[]) is 'Adds inscriptions to the watched ones, with their places of now.';

CREATE OR REPLACE FUNCTION public.watch_new()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform watch_inscriptions(array(select inscription_id from changed));
  return null;
end $function$;
comment on function watch_new() is 'Watches the inscriptions of new rows.';

-- Rows of leases:
--   {"role": "follower", "token": 0, "holder": null, "backend": null, "expires_at": "-infinity"}
--   {"role": "jobs", "token": 0, "holder": null, "backend": null, "expires_at": "-infinity"}

-- Rows of market_coin_moves:
--   {"to_state": "absent", "from_state": "held"}
--   {"to_state": "absent", "from_state": "retired"}
--   {"to_state": "absent", "from_state": "spending"}
--   {"to_state": "free", "from_state": "held"}
--   {"to_state": "free", "from_state": "immature"}
--   {"to_state": "free", "from_state": "new"}
--   {"to_state": "free", "from_state": "spending"}
--   {"to_state": "free", "from_state": "spent"}
--   {"to_state": "held", "from_state": "absent"}
--   {"to_state": "held", "from_state": "free"}
--   {"to_state": "held", "from_state": "retired"}
--   {"to_state": "held", "from_state": "spending"}
--   {"to_state": "held", "from_state": "spent"}
--   {"to_state": "immature", "from_state": "free"}
--   {"to_state": "immature", "from_state": "new"}
--   {"to_state": "retired", "from_state": "absent"}
--   {"to_state": "retired", "from_state": "held"}
--   {"to_state": "retired", "from_state": "spending"}
--   {"to_state": "retired", "from_state": "spent"}
--   {"to_state": "spending", "from_state": "absent"}
--   {"to_state": "spending", "from_state": "free"}
--   {"to_state": "spending", "from_state": "held"}
--   {"to_state": "spending", "from_state": "retired"}
--   {"to_state": "spending", "from_state": "spent"}
--   {"to_state": "spent", "from_state": "free"}
--   {"to_state": "spent", "from_state": "held"}
--   {"to_state": "spent", "from_state": "retired"}
--   {"to_state": "spent", "from_state": "spending"}

-- Rows of settlement_kinds:
--   {"name": "counter"}
--   {"name": "fill"}
--   {"name": "offer"}
--   {"name": "purchase"}
--   {"name": "swap"}
