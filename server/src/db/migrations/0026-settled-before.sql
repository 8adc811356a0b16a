-- Every transaction of this database below it is over, and the calling statement sees what it committed. pg_snapshot_xmin is of the
-- whole cluster: an open transaction of another database would hold back the live events of this one. A transaction that
-- cannot be told to be another database's (it ended meanwhile, or is prepared) counts as one of this. Stable, so that its
-- snapshot is the one of the calling statement.
create function settled_before() returns xid8 language sql stable as $$
  select coalesce(min(open.id), pg_snapshot_xmax(pg_current_snapshot()))
  from pg_snapshot_xip(pg_current_snapshot()) as open (id)
  where not exists (
    select from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.transactionid = open.id::xid and l.mode = 'ExclusiveLock' and l.granted
      and a.datid <> (select oid from pg_database where datname = current_database()))
$$;
