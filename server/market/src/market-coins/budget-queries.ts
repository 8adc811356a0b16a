import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { COVERED, HISTORY_FACTOR, STRANDED_SATS } from './shares.ts'

export interface Since {
  day: Date
  history: Date
}

/** What a wallet earned and cost the market, in sats. */
export interface Account {
  /** Fees of its trades since the start of the history, less bumps. */
  earnedSats: number
  /** Cost of its transfers since then and in the last day: stranded ones, and unconfirmed ones. */
  historySats: number
  daySats: number
  /** In the last day, the cost of its orders that came to nothing. */
  endedSats: number
  /** Anchors of such orders that the market has not spent yet. */
  ended: number
}

/** One transaction at a time, so that two cannot both use the rest of an allowance. */
export async function lockBudgets(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('stranding allowance'))`
}

/**
 * A subquery with the accounts of some wallets (a subquery of ids): earnings and costs of the trades and ended orders of each. An
 * unconfirmed transfer counts as stranded.
 */
const accounts = (sql: Queryable, { day, history }: Since, wallets: ReturnType<Queryable>) => sql`
  select w.id as wallet_binding_id,
    coalesce(sum(sats) filter (where purpose in ('revenue', 'bump')), 0)::bigint as earned_sats,
    coalesce(-sum(sats) filter (where ${isTransfer(sql)}), 0)::bigint as history_sats,
    coalesce(-sum(sats) filter (where ${isTransfer(sql)} and booked_at > ${day}), 0)::bigint as day_sats,
    coalesce(-sum(sats) filter (where ${isEnded(sql)} and booked_at > ${day}), 0)::bigint as ended_sats
  from (${wallets}) w left join lateral (
    select purpose, inscription_id, booked_at,
      case when purpose in ('transfer', 'refund') then sats * ${STRANDED_SATS / ANCHOR_SATS}::int else sats end as sats
    from market_ledger where wallet_binding_id = w.id and booked_at > ${history}
    union all
    select 'transfer', null, c.sent_at, -${STRANDED_SATS}::int from market_causes c
    where c.wallet_binding_id = w.id and ${isOut(sql, day)}) booked on true
  group by w.id`

/** Transfers, as `c`, that were sent since a time, or are about to be, and are in no block. */
const isOut = (sql: Queryable, since: Date) => sql`
  c.purpose = 'transfer' and c.sent_at > ${since} and not exists (select 1 from market_ledger l where l.txid = c.txid)`

/** Transfers, and the anchors that buyers gave back for them. */
const isTransfer = (sql: Queryable) => sql`purpose in ('transfer', 'refund')`

/** Spending the anchors of listings and counters, and making them. */
const isEnded = (sql: Queryable) => sql`purpose in ('void', 'split') and inscription_id is not null`

/** The account of one wallet. */
export async function findAccount(sql: Queryable, walletBindingId: string, since: Since): Promise<Account> {
  const [row] = await sql<Account[]>`
    select a.earned_sats, a.history_sats, a.day_sats, a.ended_sats,
      (select count(*)::int from market_coins
        where caused_by = ${walletBindingId} and state in ('retired', 'spending')) as ended
    from (${accounts(sql, since, sql`select ${walletBindingId}::uuid as id`)}) a`
  return row!
}

export interface Draws {
  /** Costs of wallets in the last day that their own fees do not cover: wallets without history, and all. */
  newWalletsSats: number
  allWalletsSats: number
  /** What orders that came to nothing cost in the last day. */
  endedSats: number
}

/** What all wallets have drawn from the allowance. Only wallets with entries of the last day can have drawn any. */
export async function findDraws(sql: Queryable, since: Since): Promise<Draws> {
  const wallets = sql`
    select wallet_binding_id as id from market_ledger where wallet_binding_id is not null and booked_at > ${since.day}
    union select wallet_binding_id from market_causes c where wallet_binding_id is not null and ${isOut(sql, since.day)}`
  const [row] = await sql<Draws[]>`
    select coalesce(sum(drawn) filter (where history_sats > ${HISTORY_FACTOR}::int * earned_sats), 0)::bigint as new_wallets_sats,
      coalesce(sum(drawn), 0)::bigint as all_wallets_sats, coalesce(sum(ended_sats), 0)::bigint as ended_sats
    from (select a.*, greatest(0, least(day_sats, history_sats - earned_sats * ${COVERED}::float8)) as drawn
      from (${accounts(sql, since, wallets)}) a) drawn`
  return row!
}

/** Anchors of ended orders that a transaction of the market spends, in no block yet. */
export async function countBeingSpent(sql: Queryable): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from market_coins where state = 'spending' and caused_by is not null`
  return row!.count
}
