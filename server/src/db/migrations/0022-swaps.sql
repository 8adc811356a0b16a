-- Proposals are settled: an acceptor signs a swap, its proposer signs it last.
alter table proposals
  add column creator_binding_id uuid references wallet_bindings,
  -- what a proposal that offers sats pays with: {payer, coins}
  add column payment jsonb,
  add column settlement_id uuid references settlements;
-- What was made before nobody could settle: its maker makes it anew.
update proposals set state = 'cancelled', ended_at = now() where state = 'active';
update proposals p set creator_binding_id = b.wallet_binding_id
from (select distinct on (ordinals_script) ordinals_script, wallet_binding_id from wallet_bindings
  order by ordinals_script, wallet_binding_id) b
where b.ordinals_script = p.creator_script;

create table acceptances (
  acceptance_id uuid primary key,
  proposal_id uuid not null references proposals,
  acceptor_binding_id uuid not null references wallet_bindings,
  acceptor_script bytea not null,
  state text not null
    check (state in ('active', 'accepting', 'accepted', 'rejected', 'cancelled', 'expired', 'invalidated')),
  reason text,
  -- [{legId, inscriptionId}]
  fills jsonb not null,
  -- SwapTerms, and the inscriptions with their coins: [{inscriptionId, from, txid, vout, valueSats}]
  terms jsonb not null,
  items jsonb not null,
  -- the acceptor's, in the order of its inputs
  signatures jsonb not null,
  settlement_txid text not null,
  settlement_id uuid references settlements,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create unique index acceptances_same on acceptances (settlement_txid) where state in ('active', 'accepting', 'accepted');
create index acceptances_proposal on acceptances (proposal_id, created_at desc, acceptance_id desc);
create index acceptances_acceptor on acceptances (acceptor_script, created_at desc, acceptance_id desc);
create index acceptances_expiry on acceptances (expires_at) where state = 'active';
create index acceptances_settlement on acceptances (settlement_id) where settlement_id is not null;

alter table drafts drop constraint drafts_kind_check;
alter table drafts add constraint drafts_kind_check
  check (kind in ('offer', 'counter', 'counter-acceptance', 'collection-offer', 'fill', 'swap'));
alter table settlements drop constraint settlements_kind_check;
alter table settlements
  add constraint settlements_kind_check check (kind in ('purchase', 'offer', 'counter', 'fill', 'swap'));

-- A proposal waits, too, while a coin that it pays with is gone.
create or replace function is_available(p uuid, creator bytea) returns boolean language sql stable as $$
  select not exists (
    select 1 from proposal_items o left join inscriptions i using (inscription_id)
    where o.proposal_id = p and (i.owner_script is distinct from creator
      or exists (select 1 from mempool_spends m where m.txid = i.txid and m.vout = i.vout)
      or exists (select 1 from listings l where l.inscription_id = o.inscription_id and l.state = 'hidden_locked')
      or exists (select 1 from settlements s
        where s.state in ('intended', 'broadcast') and o.inscription_id = any(s.inscription_ids))))
    and not exists (select 1 from backing_coins b where b.offer_id = p and b.gone is not null)
$$;
