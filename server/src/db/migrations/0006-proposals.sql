-- Peer-to-peer trade proposals: what is offered, and the legs that are wanted.
create table proposals (
  proposal_id uuid primary key,
  creator_script bytea not null,
  visibility text not null check (visibility in ('public', 'private')),
  state text not null check (state in ('active', 'accepted', 'cancelled', 'invalidated')),
  offered_btc_sats bigint not null check (offered_btc_sats >= 0),
  requested_btc_sats bigint not null check (requested_btc_sats >= 0),
  marketplace_fee_sats bigint not null check (marketplace_fee_sats >= 0),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index proposals_feed on proposals (created_at desc, proposal_id desc)
  where state = 'active' and visibility = 'public';

create table proposal_items (
  proposal_id uuid not null references proposals on delete cascade,
  position integer not null check (position between 0 and 49),
  inscription_id text not null,
  primary key (proposal_id, position)
);
create index proposal_items_inscription on proposal_items (inscription_id);

create table proposal_legs (
  leg_id uuid primary key,
  proposal_id uuid not null references proposals on delete cascade,
  position integer not null check (position between 0 and 49),
  collection_id uuid not null references collections,
  quantity integer not null check (quantity between 1 and 50),
  -- WantedTarget of the contract
  target jsonb not null,
  unique (proposal_id, position)
);
create index proposal_legs_collection on proposal_legs (collection_id);
