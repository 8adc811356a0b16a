-- Change of settlements that were sent: it may pay for its owner's next trade before a block has it.
create table change_coins (
  txid text not null,
  vout bigint not null,
  settlement_id uuid not null references settlements,
  value_sats bigint not null,
  script bytea not null,
  primary key (txid, vout)
);
create index change_coins_script on change_coins (script);
