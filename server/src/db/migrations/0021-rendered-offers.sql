-- Offers and collection offers keep themselves as the API shows them.
-- oldest code: 0013

alter table offers add column rendered_row text, add column rendered_version integer not null default 0;
alter table collection_offers add column rendered_row text, add column rendered_version integer not null default 0;
create index offers_collection on offers (collection_id);
create index collection_offers_collection on collection_offers (collection_id);
create index collection_offers_sample on collection_offers (sample_inscription_id);

-- install: collections.sql fd4907449748
-- install: rendered-rows.sql d2e912b75745
-- install: watched-inscriptions.sql 19984ed7b844
