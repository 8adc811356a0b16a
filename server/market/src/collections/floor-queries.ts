import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { RenderedRow, Slice } from '@ordbook/http/responses/rendered-rows.ts'

type FloorSlice = Slice & {
  /** Joined by commas; null if all slugs are unknown. Faster to parse than arrays. */
  collectionIds: string | null
}

export async function sliceFloors(sql: Queryable, slugs: readonly string[], now: Date): Promise<FloorSlice> {
  const [row] = await sql<FloorSlice[]>`
    select string_agg(rendered_row, ',' order by n) as rows, bool_or(rendered_row is null or rendered_until <= ${now}) as stale,
      min(rendered_until) as expires_at, string_agg(collection_id::text, ',') as collection_ids
    from unnest(string_to_array(${slugs.join()}, ',')) with ordinality as wanted (slug, n) join collection_floors using (slug)`
  return row!
}

export interface FloorRow {
  collectionId: string
  renderedVersion: number
  renderedRow: string | null
  renderedUntil: Date | null
  slug: string
  floorSats: number | null
  listedCount: number
  ownerCount: number
  rolledAt: Date
  /** Expiry of the next book entry, which changes these figures. */
  nextExpiryAt: Date | null
  floorDayAgoSats: number | null
  floorWeekAgoSats: number | null
  /** Time when the floor of a day or a week ago changes next. */
  dayAgoUntil: Date | null
  weekAgoUntil: Date | null
}

/** Returns floors now, a day ago and a week ago. If an entry has expired since, computes them from the book. */
export function listFloors(sql: Queryable, slugs: readonly string[], now: Date): Promise<FloorRow[]> {
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
  const floorAt = (at: Date) => sql`
    select (select floor_sats from floor_history h where h.collection_id = f.collection_id and since <= ${at}
        order by since desc limit 1) as floor_sats,
      (select min(since) from floor_history h where h.collection_id = f.collection_id and since > ${at}) as until`
  const openEntries = sql`
    from book_entries a where a.collection_id = f.collection_id and a.closed_at is null
      and (a.expires_at is null or a.expires_at > ${now})`
  return sql<FloorRow[]>`
    select f.collection_id, f.slug, f.rendered_row, f.rendered_version, f.rendered_until, n.owner_count, f.rolled_at,
      case when f.next_expiry_at <= ${now} then (select min(price_sats) ${openEntries}) else f.floor_sats end as floor_sats,
      case when f.next_expiry_at <= ${now} then (select count(*)::int ${openEntries}) else f.listed_count end as listed_count,
      f.next_expiry_at, day.floor_sats as floor_day_ago_sats, week.floor_sats as floor_week_ago_sats,
      day.until + interval '1 day' as day_ago_until, week.until + interval '7 days' as week_ago_until
    from unnest(string_to_array(${slugs.join()}, ',')) with ordinality as wanted (slug, n)
    join collection_floors f using (slug) join collection_counts n using (collection_id),
      lateral (${floorAt(ago(1))}) day, lateral (${floorAt(ago(7))}) week
    order by wanted.n`
}

/** Stores rendered rows of unchanged collections. Replaces expired rows. */
export async function saveRenderedFloors(sql: Queryable, rendered: readonly RenderedRow[]): Promise<void> {
  await sql`
    update collection_floors f set rendered_row = fresh.rendered_row, rendered_until = fresh.until
    from (
      select f.collection_id, x.rendered_row, x.until
      from unnest(${rendered.map((each) => each.id)}::uuid[], ${rendered.map((each) => each.version)}::int[],
        ${rendered.map((each) => each.text)}::text[],
        ${rendered.map((each) => each.expiresAt?.toISOString() ?? null)}::timestamptz[]) as x (id, version, rendered_row, until)
      join collection_floors f on f.collection_id = x.id and f.rendered_version = x.version
      for no key update of f skip locked
    ) fresh
    where f.collection_id = fresh.collection_id`
}
