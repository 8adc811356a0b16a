-- When the node's mempool was last looked at, by whoever follows it: one row.
create unlogged table mempool_look (
  one boolean primary key default true check (one),
  looked_at timestamptz not null,
  transaction_count integer not null
);
