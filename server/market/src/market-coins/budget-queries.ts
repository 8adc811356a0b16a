import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'

export interface Stranding {
  /** Sats that trades of all wallets earned since a time, less bumps; and of one wallet, less its voids and splits too. */
  earnedSats: number
  ownEarnedSats: number
  /** Transfers in a block since then whose anchor no buyer gave back. */
  stranded: number
  ownStranded: number
  /** Transfers that are out, or about to be, and in no block: each may still be stranded. */
  underWay: number
  ownUnderWay: number
}

/** One transaction counts at a time, so that two cannot both take the last of the allowance. */
export async function lockStranding(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('stranding allowance'))`
}

/** Of all wallets, and of one (null: none). */
export async function findStranding(
  sql: Queryable,
  { walletBindingId, since }: { walletBindingId: string | null; since: Date },
): Promise<Stranding> {
  const [row] = await sql<Stranding[]>`
    select coalesce(sum(sats) filter (where purpose in ('revenue', 'bump')), 0)::bigint as earned_sats,
      coalesce(sum(sats) filter (where own and purpose not in ('transfer', 'refund', 'recovery', 'reclaim')), 0)::bigint
        as own_earned_sats,
      coalesce(-sum(sats) filter (where purpose in ('transfer', 'refund')), 0)::bigint / ${ANCHOR_SATS}::int as stranded,
      coalesce(-sum(sats) filter (where own and purpose in ('transfer', 'refund')), 0)::bigint / ${ANCHOR_SATS}::int
        as own_stranded,
      (select count(*)::int from market_causes c where ${isOut(sql, since)}) as under_way,
      (select count(*)::int from market_causes c
        where ${isOut(sql, since)} and c.wallet_binding_id = ${walletBindingId}) as own_under_way
    from (select purpose, sats, wallet_binding_id = ${walletBindingId} as own from market_ledger
      where wallet_binding_id is not null and booked_at > ${since}) booked`
  return row!
}

/** Transfers, as `c`, that were sent since a time, or are about to be, and are in no block. */
const isOut = (sql: Queryable, since: Date) => sql`
  c.purpose = 'transfer' and c.sent_at > ${since} and not exists (select 1 from market_ledger l where l.txid = c.txid)`

/** Spending the anchors of listings and counters, and making them. */
const isChurn = (sql: Queryable) => sql`purpose in ('void', 'split') and inscription_id is not null`

export interface Churn {
  inscriptionId: string | null
  /** The cost of listings that came to nothing since a time, in sats. */
  lossSats: number
  /** Anchors of such listings that the market has not spent yet. */
  pending: number
}

/** The cost of listing these inscriptions again and again: a row for each, and one for all of a wallet (null). */
export function listChurn(
  tx: Queryable,
  of: { walletBindingId: string; inscriptionIds: readonly string[]; since: Date },
): Promise<Churn[]> {
  const { walletBindingId, inscriptionIds, since } = of
  return tx<Churn[]>`
    select i.id as inscription_id,
      (select coalesce(-sum(sats), 0)::bigint from market_ledger
        where inscription_id = i.id and ${isChurn(tx)} and booked_at > ${since}) as loss_sats,
      (select count(*)::int from listings l join market_coins c on c.reserved_for = l.anchor_utxo_id
        where l.inscription_id = i.id and c.state in ('retired', 'spending')) as pending
    from unnest(${inscriptionIds as string[]}::text[]) as i (id)
    union all
    select null,
      (select coalesce(-sum(sats), 0)::bigint from market_ledger
        where wallet_binding_id = ${walletBindingId} and ${isChurn(tx)} and booked_at > ${since}),
      (select count(*)::int from market_coins
        where caused_by = ${walletBindingId} and state in ('retired', 'spending'))`
}
