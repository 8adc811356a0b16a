-- A proposal waits, too, while a transaction that is not in a block spends what it offers.
create or replace function is_available(p uuid, creator bytea) returns boolean language sql stable as $$
  select not exists (
    select 1 from proposal_items o left join inscriptions i using (inscription_id)
    where o.proposal_id = p and (i.owner_script is distinct from creator
      or exists (select 1 from mempool_spends m where m.txid = i.txid and m.vout = i.vout)
      or exists (select 1 from listings l where l.inscription_id = o.inscription_id and l.state = 'hidden_locked')
      or exists (select 1 from settlements s
        where s.state in ('intended', 'broadcast') and o.inscription_id = any(s.inscription_ids))))
$$;
