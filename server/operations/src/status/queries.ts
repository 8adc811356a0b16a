import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** Returns the seconds since the last thumbnail if items are waiting, otherwise 0. */
export async function findPreviewStall(sql: Queryable, now: Date): Promise<number> {
  const [row] = await sql<{ since: Date | null }[]>`
    select greatest(first.due_at, (select rendered_at from previews where state = 'done' order by rendered_at desc limit 1)) as since
    from (
      select due_at from previews where state = 'waiting' and due_at <= ${now} order by attempts, place limit 1
    ) first`
  return row?.since ? Math.max(0, (now.getTime() - row.since.getTime()) / 1000) : 0
}

/** Counts open orders and settlements. Uses partial indexes. */
export function countLive(sql: Queryable): Promise<{ kind: string; state: string; count: number }[]> {
  return sql<{ kind: string; state: string; count: number }[]>`
    select 'listing' as kind, state, count(*) as count from listings
      where state in ('buyable', 'hidden_locked', 'pending_public') group by state
    union all select 'offer', state, count(*) from offers where state in ('active', 'accepting') group by state
    union all select 'collection_offer', state, count(*) from collection_offers
      where state in ('active', 'filling') group by state
    union all select 'settlement', state, count(*) from settlements
      where state in ('intended', 'broadcast') group by state`
}

/** Returns the age of the oldest unconfirmed settlement in seconds, 0 if there is none (index settlements_live). */
export async function findSettlementAge(sql: Queryable): Promise<number> {
  const [row] = await sql<{ seconds: number }[]>`
    select coalesce(max(extract(epoch from clock_timestamp() - created_at)), 0)::float8 as seconds
    from settlements where state in ('intended', 'broadcast')`
  return row!.seconds
}

export async function findTime(sql: Queryable): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row!.now
}

/** Lists roles that no process performs. */
export async function listIdle(sql: Queryable): Promise<string[]> {
  const rows = await sql<{ role: string }[]>`
    select r.role from (values ('follower'), ('jobs')) as r (role)
      left join leases l on l.role = r.role and l.expires_at > clock_timestamp()
    where l.role is null`
  return rows.map(({ role }) => role)
}

/** Returns table sizes in bytes, including indexes. */
export function listTableSizes(sql: Queryable): Promise<{ table: string; bytes: number }[]> {
  return sql<{ table: string; bytes: number }[]>`
    select relname as table, pg_total_relation_size(oid) as bytes from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r'`
}
