-- Inboxes. Only events after this migration are added.
-- oldest code: 0001

-- Events of interest to a profile, written by functions/inbox.sql in the transaction of the event.
create table inbox (
  inbox_id bigint generated always as identity primary key,
  profile_id uuid not null references profiles,
  kind text not null check (kind in ('offer', 'counter', 'acceptance', 'escrow', 'settling', 'sold', 'delivered', 'listing_ended',
    'outbid', 'expiring', 'sign_in')),
  -- the order, settlement, sale, coin or client; an event with the same kind and subject is the same event
  subject text not null,
  at timestamptz not null,
  inscription_id text,
  collection_id uuid references collections,
  proposal_id uuid references proposals on delete cascade,
  price_sats bigint,
  expires_at timestamptz,
  is_read boolean not null,
  -- by a reorg; hidden until the event happens again
  undone boolean not null default false,
  constraint inbox_once unique (profile_id, kind, subject)
);
create index inbox_latest on inbox (profile_id, inbox_id desc);
create index inbox_unread on inbox (profile_id) where not is_read and not undone;
create index inbox_age on inbox (at);

-- Null for public events. Others are sent only to connections of the profile.
alter table live_events add column profile_id uuid;
alter table live_events drop constraint live_events_kind_check,
  add constraint live_events_kind_check check (kind in ('listing', 'sale', 'offer', 'collection_offer', 'proposal', 'floor', 'block', 'inbox'));

insert into inbox (profile_id, kind, subject, at, is_read)
select profile_id, 'sign_in', coalesce(client_hint, ''), min(began_at), true from sessions group by 1, 3;

-- install: inbox.sql f992ab99e908
