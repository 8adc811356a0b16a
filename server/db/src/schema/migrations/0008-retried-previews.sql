-- Distinguishes content that has no thumbnail from content that failed, and renders new content before retries.
-- oldest code: 0001

alter table previews drop constraint previews_state_check, drop constraint previews_check1,
  add constraint previews_state_check check (state in ('waiting', 'done', 'failed', 'impossible')),
  add constraint previews_failure_check check (state not in ('failed', 'impossible') or failure is not null);
-- Before, only a final failure took less than three attempts. The others get the two attempts that are new.
update previews set state = case when kind = 'other' or attempts < 3 then 'impossible' else 'waiting' end where state = 'failed';
drop index previews_waiting;
create index previews_waiting on previews (attempts, place) where state = 'waiting';
