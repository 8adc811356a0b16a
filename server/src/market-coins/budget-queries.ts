import type { Queryable, Transaction } from '../db/connect.ts'

export interface Stranding {
  /** What purchases cost the market since a time, less what they earned it, in sats: of all wallets, of one. */
  lossSats: number
  ownLossSats: number
  /** Transfers that are out, or about to be, and in no block: each may still be stranded. */
  transfers: number
  ownTransfers: number
}

/** One transaction counts at a time, so that two cannot both take the last of the allowance. */
export async function findStranding(
  tx: Transaction,
  { walletBindingId, since }: { walletBindingId: string; since: Date },
): Promise<Stranding> {
  await tx`select pg_advisory_xact_lock(hashtext('stranding allowance'))`
  const [row] = await tx<Stranding[]>`
    select coalesce(-sum(sats) filter (where purpose not in ('split', 'void')), 0)::bigint as loss_sats,
      coalesce(-sum(sats) filter (where wallet_binding_id = ${walletBindingId}), 0)::bigint as own_loss_sats,
      (select count(*)::int from market_causes c where ${isOut(tx, since)}) as transfers,
      (select count(*)::int from market_causes c
        where ${isOut(tx, since)} and c.wallet_binding_id = ${walletBindingId}) as own_transfers
    from market_ledger where wallet_binding_id is not null and booked_at > ${since}`
  return row!
}

const isOut = (sql: Queryable, since: Date) => sql`
  c.purpose = 'transfer' and c.sent_at > ${since} and not exists (select 1 from market_ledger l where l.txid = c.txid)`

export interface Churn {
  inscriptionId: string | null
  /** What listings that came to nothing cost since a time, in sats. */
  lossSats: number
  /** Anchors of such listings that the market has not spent yet. */
  pending: number
}

/** What listing these inscriptions again and again costs: a row for each, and one for all of a wallet (null). */
export function listChurn(
  tx: Queryable,
  of: { walletBindingId: string; inscriptionIds: readonly string[]; since: Date },
): Promise<Churn[]> {
  const { walletBindingId, inscriptionIds, since } = of
  return tx<Churn[]>`
    select i.id as inscription_id,
      (select coalesce(-sum(sats), 0)::bigint from market_ledger
        where inscription_id = i.id and booked_at > ${since}) as loss_sats,
      (select count(*)::int from listings l join market_coins c on c.reserved_for = l.anchor_utxo_id
        where l.inscription_id = i.id and c.state in ('retired', 'spending')) as pending
    from unnest(${inscriptionIds as string[]}::text[]) as i (id)
    union all
    select null,
      (select coalesce(-sum(sats), 0)::bigint from market_ledger
        where wallet_binding_id = ${walletBindingId} and booked_at > ${since}),
      (select count(*)::int from market_coins
        where caused_by = ${walletBindingId} and state in ('retired', 'spending'))`
}
