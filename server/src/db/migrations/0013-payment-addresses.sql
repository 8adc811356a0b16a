-- A profile belongs to its ordinals address, which may sign in with several payment addresses. Several profiles may share one.
alter table profiles add column ordinals_script bytea;
update profiles p set ordinals_script = b.ordinals_script from wallet_bindings b where b.profile_id = p.profile_id;
alter table profiles add constraint profiles_ordinals_script_key unique (ordinals_script);

-- The last sign-in tells which payment address the owner uses now.
alter table wallet_bindings add column signed_in_at timestamptz not null default clock_timestamp();
update wallet_bindings set signed_in_at = created_at;
alter table wallet_bindings drop constraint wallet_bindings_ordinals_script_key;
alter table wallet_bindings drop constraint wallet_bindings_payment_script_key;
alter table wallet_bindings add constraint wallet_bindings_pair unique (ordinals_script, payment_script);
create index wallet_bindings_payment on wallet_bindings (payment_script);
