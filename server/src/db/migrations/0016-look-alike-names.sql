-- Names that look like that of a verified collection, found by an index.
-- oldest code: 0013
-- install: name-skeleton.sql be9d0e124fe7
alter table collections add column name_skeleton text not null generated always as (name_skeleton(name)) stored;
create index collections_verified_names on collections (name_skeleton) where verification_status = 'verified';
