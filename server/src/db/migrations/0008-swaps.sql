-- Peer-to-peer proposals: the items and sats that are offered, the legs that are wanted, and the acceptances.

create table proposals (
  proposal_id uuid primary key,
  creator_script bytea not null,
  visibility text not null check (visibility in ('public', 'private')),
  state text not null check (state in ('active', 'accepted', 'cancelled', 'expired')),
  offered_btc_sats bigint not null check (offered_btc_sats >= 0),
  requested_btc_sats bigint not null check (requested_btc_sats >= 0),
  marketplace_fee_sats bigint not null check (marketplace_fee_sats >= 0),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- every offered inscription is where its creator can give it away, and in no settlement under way
  available boolean not null default true,
  -- the rendered row, with placeholders for floors, and the collections of these floors (proposals/rendered-proposal.ts)
  rendered_row text,
  rendered_collections uuid[] not null default '{}',
  rendered_version integer not null default 0,
  creator_binding_id uuid references wallet_bindings,
  -- the coins that pay the sats it offers: {payer, coins}
  payment jsonb,
  settlement_id uuid references settlements
) with (fillfactor = 60);
create index proposals_creator on proposals (creator_script, created_at desc, proposal_id desc);
create index proposals_expiry on proposals (expires_at) where state = 'active';
create index proposals_feed on proposals (created_at desc, proposal_id desc)
  where state = 'active' and visibility = 'public' and available;

create table proposal_items (
  proposal_id uuid not null references proposals on delete cascade,
  position integer not null check (position between 0 and 49),
  inscription_id text not null,
  primary key (proposal_id, position)
);
create index proposal_items_inscription on proposal_items (inscription_id);

create table wanted_legs (
  leg_id uuid primary key,
  proposal_id uuid not null references proposals on delete cascade,
  position integer not null check (position between 0 and 49),
  collection_id uuid not null references collections,
  quantity integer not null check (quantity between 1 and 50),
  -- WantedTarget of the contract
  target jsonb not null,
  unique (proposal_id, position)
);
create index wanted_legs_collection on wanted_legs (collection_id);

-- Swaps that an acceptor has signed. The proposer signs last.
create table acceptances (
  acceptance_id uuid primary key,
  proposal_id uuid not null references proposals,
  acceptor_binding_id uuid not null references wallet_bindings,
  acceptor_script bytea not null,
  state text not null check (state in ('active', 'accepting', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  -- [{legId, inscriptionId}]
  fills jsonb not null,
  -- SwapTerms, and the inscriptions with their coins: [{inscriptionId, from, txid, vout, valueSats}]
  terms jsonb not null,
  items jsonb not null,
  -- the acceptor's, in the order of its inputs
  signatures jsonb not null,
  settlement_txid text not null,
  settlement_id uuid references settlements,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index acceptances_acceptor on acceptances (acceptor_script, created_at desc, acceptance_id desc);
create index acceptances_expiry on acceptances (expires_at) where state = 'active';
create index acceptances_proposal on acceptances (proposal_id, created_at desc, acceptance_id desc);
create unique index acceptances_same on acceptances (settlement_txid) where state in ('active', 'accepting', 'accepted');
create index acceptances_settlement on acceptances (settlement_id) where settlement_id is not null;
