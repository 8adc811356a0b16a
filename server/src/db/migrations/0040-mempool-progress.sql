-- The transactions that a look under way has still to read. During the first look there is no time of a last one.
alter table mempool_look alter looked_at drop not null, alter transaction_count drop not null, add unread integer;
