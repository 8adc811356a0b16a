-- How sure it is that an external sale was one (docs/external-sales.md); null for our own.
alter table sales
  add column rule text check (rule in ('signature', 'gain')),
  add column confidence text check (confidence in ('high', 'medium', 'low')),
  add constraint sales_external check ((sale_type = 'external') = (rule is not null and confidence is not null)) not valid;
