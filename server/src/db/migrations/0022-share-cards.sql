-- Composed pictures of pages for previews of links, and the queue in which they wait to be drawn (server/src/previews).
-- oldest code: 0013
create table share_cards (
  -- SHA-256 of the still and the texts.
  card_key bytea primary key,
  -- The path of the page. Its newest card alone is kept.
  subject text not null unique,
  -- The previews that its art is a still of.
  content_key bytea not null,
  texts jsonb not null,
  state text not null check (state in ('waiting', 'done', 'failed')),
  attempts integer not null default 0,
  -- While a renderer works on it, the time at which it is taken from that renderer.
  due_at timestamptz not null,
  asked_at timestamptz not null,
  -- A JPEG.
  body bytea,
  check ((state = 'done') = (body is not null))
);
alter table share_cards alter column body set storage external;
create index share_cards_asked on share_cards (state, asked_at);
