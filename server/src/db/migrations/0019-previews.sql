-- Stills of content, and the queue in which they wait to be rendered (server/src/previews).
-- oldest code: 0013
create table previews (
  -- SHA-256 of the media type, the encoding and the bytes, and of the inscription where its content may look at its own address.
  content_key bytea primary key,
  -- The inscription by whose address the content is rendered.
  inscription_id text not null,
  kind text not null check (kind in ('raster', 'text', 'document', 'video', 'audio', 'model', 'other')),
  state text not null check (state in ('waiting', 'done', 'failed')),
  place bigint not null generated always as identity,
  attempts integer not null default 0,
  -- While a renderer works on it, the time at which it is taken from that renderer.
  due_at timestamptz not null,
  failure text,
  -- Its 4 by 4 pixels as a bitmap stores them; null where the still is transparent.
  placeholder bytea,
  rendered_at timestamptz,
  check ((state = 'done') = (rendered_at is not null)),
  check (state <> 'failed' or failure is not null)
);
create index previews_waiting on previews (place) where state = 'waiting';
create index previews_state on previews (state, rendered_at);
create table preview_stills (
  content_key bytea not null references previews on delete cascade,
  size integer not null,
  bytes integer not null,
  body bytea not null,
  primary key (content_key, size)
);
alter table preview_stills alter column body set storage external;
create index preview_stills_bytes on preview_stills (size, bytes);
create table previewed_inscriptions (
  inscription_id text primary key references inscription_rows (inscription_id) on delete cascade,
  content_key bytea not null references previews
);
create index previewed_inscriptions_content on previewed_inscriptions (content_key);
