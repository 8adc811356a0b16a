import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'
import { COVERED, HISTORY_FACTOR, STRANDED_SATS } from './shares.ts'

export interface Since {
  day: Date
  history: Date
}

/** A wallet's paid fees and caused costs, in sats. */
export interface Account {
  /** Fees of its trades in the history period, less bumps. */
  earnedSats: number
  /** Cost of its stranded and unconfirmed transfers. */
  historySats: number
  daySats: number
  /** Cost of its orders that ended in the last day. */
  endedSats: number
  /** Anchors of ended orders that are not spent on chain yet. */
  ended: number
}

/** Serializes budget checks, so that no allowance is used twice. */
export async function lockBudgets(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtext('stranding allowance'))`
}

/** Subquery with the accounts of `wallets`. An unconfirmed transfer counts as stranded. */
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

/** True for an unconfirmed transfer `c` sent after `since`. */
const isOut = (sql: Queryable, since: Date) => sql`
  c.purpose = 'transfer' and c.sent_at > ${since} and not exists (select 1 from market_ledger l where l.txid = c.txid)`

/** Transfers, and the refunds of their anchors. */
const isTransfer = (sql: Queryable) => sql`purpose in ('transfer', 'refund')`

/** Anchors of ended listings and counter-offers. */
const isEnded = (sql: Queryable) => sql`purpose in ('void', 'split') and inscription_id is not null`

export async function findAccount(sql: Queryable, walletBindingId: string, since: Since): Promise<Account> {
  const [row] = await sql<Account[]>`
    select a.earned_sats, a.history_sats, a.day_sats, a.ended_sats,
      (select count(*)::int from market_coins
        where caused_by = ${walletBindingId} and state in ('retired', 'spending')) as ended
    from (${accounts(sql, since, sql`select ${walletBindingId}::uuid as id`)}) a`
  return row!
}

export interface Draws {
  /** Costs in the last day beyond the wallets' fees. */
  newWalletsSats: number
  allWalletsSats: number
  /** Cost of orders that ended in the last day. */
  endedSats: number
}

/** Returns the total drawn from the allowance. Only wallets with entries in the last day can draw. */
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

/** Counts anchors of ended orders with an unconfirmed spend. */
export async function countBeingSpent(sql: Queryable): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from market_coins where state = 'spending' and caused_by is not null`
  return row!.count
}
