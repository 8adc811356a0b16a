import { type Fragment, first, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { Kind } from './kinds.ts'

export interface Unqueued {
  inscriptionId: string
  contentId: string
  contentType: string | null
  contentEncoding: string | null
  /** SHA-256 of the body; null if only an ord server has it. */
  bodyHash: Uint8Array | null
}

/** Lists collection items without a preview: first the listed ones by listing time, then the others by age. */
export function listUnqueued(sql: Queryable, rows: number): Promise<Unqueued[]> {
  return sql<Unqueued[]>`
    select found.inscription_id, c.inscription_id as content_id, c.content_type, c.content_encoding, sha256(c.body) as body_hash
    from (
      select i.inscription_id, coalesce(i.delegate_id, i.inscription_id) as content_id, l.listed_at, i.sequence
      from (
        select distinct m.inscription_id from collection_items m
        where m.sort_key < 4503599627370496
          and not exists (select 1 from previewed_inscriptions p where p.inscription_id = m.inscription_id)
      ) m
      join inscription_rows i using (inscription_id)
      left join listings l on l.inscription_id = i.inscription_id and l.state = 'buyable'
      where exists (
        select 1 from inscription_rows d where d.inscription_id = coalesce(i.delegate_id, i.inscription_id))
      order by l.listed_at, i.sequence limit ${rows}
    ) found
    join inscription_rows c on c.inscription_id = found.content_id
    order by found.listed_at, found.sequence`
}

export interface Queued {
  inscriptionId: string
  contentKey: Uint8Array
  kind: Kind
}

/** Queues each content once, in the given order, except unsupported media types. */
export async function insertPreviews(sql: Queryable, queued: readonly Queued[], now: Date): Promise<void> {
  const ids = queued.map((each) => each.inscriptionId)
  const keys = queued.map((each) => Buffer.from(each.contentKey).toString('hex'))
  const kinds = queued.map((each) => each.kind)
  await sql`
    with given as (
      select x.inscription_id, decode(x.content_key, 'hex') as content_key, x.kind, x.n
      from unnest(${ids}::text[], ${keys}::text[], ${kinds}::text[]) with ordinality as x (inscription_id, content_key, kind, n)
    ), made as (
      insert into previews (content_key, inscription_id, kind, state, due_at, failure)
      select content_key, inscription_id, kind, case kind when 'other' then 'impossible' else 'waiting' end, ${now}::timestamptz,
        case kind when 'other' then 'no thumbnail is made of this media type' end
      from (select distinct on (content_key) * from given order by content_key, n) once
      order by n
      on conflict do nothing
      returning content_key
    )
    insert into previewed_inscriptions (inscription_id, content_key)
    select g.inscription_id, g.content_key from given g
    join inscription_rows i using (inscription_id)
    where (select count(*) from made) >= 0
    on conflict do nothing`
}

export interface Claim {
  contentKey: Uint8Array
  inscriptionId: string
  kind: Kind
  contentType: string | null
}

/** Claims an item until `dueAt`: the one with the fewest attempts, then the longest waiting. Returns null if none is due. */
export function claimPreview(
  sql: Queryable,
  {
    kinds,
    mostAttempts,
    now,
    dueAt,
  }: { kinds: readonly Kind[]; mostAttempts: number; now: Date; dueAt: Date },
) {
  return first(sql<Claim[]>`
    update previews p set attempts = p.attempts + 1, due_at = ${dueAt}
    from inscription_rows i
    join inscription_rows c on c.inscription_id = coalesce(i.delegate_id, i.inscription_id)
    where i.inscription_id = p.inscription_id and p.content_key = (
      select q.content_key from previews q
      join inscription_rows known on known.inscription_id = q.inscription_id
      where q.state = 'waiting' and q.due_at <= ${now} and q.attempts < ${mostAttempts}
        and q.kind = any(${kinds as Kind[]}::text[])
      order by q.attempts, q.place limit 1 for update of q skip locked
    )
    returning p.content_key, p.inscription_id, p.kind, c.content_type`)
}

/** Extends a claim until `dueAt`. */
export async function renewClaim(sql: Queryable, contentKey: Uint8Array, dueAt: Date): Promise<void> {
  await sql`update previews set due_at = ${dueAt} where content_key = ${contentKey} and state = 'waiting'`
}

/** A WebP that fits a square of `size` pixels. */
export interface Thumbnail {
  size: number
  body: Uint8Array
}

/** Stores thumbnails, unless the content already has some. */
export async function insertThumbnails(
  sql: Queryable,
  contentKey: Uint8Array,
  {
    thumbnails,
    placeholder,
    now,
  }: { thumbnails: readonly Thumbnail[]; placeholder: Uint8Array | null; now: Date },
): Promise<void> {
  const bodies = thumbnails.map((thumbnail) => Buffer.from(thumbnail.body).toString('base64'))
  await sql`
    with done as (
      update previews set state = 'done', failure = null, placeholder = ${placeholder}::bytea, rendered_at = ${now}
      where content_key = ${contentKey} and state = 'waiting' returning content_key
    )
    insert into thumbnails (content_key, size, bytes, body)
    select d.content_key, x.size, length(decode(x.body, 'base64')), decode(x.body, 'base64')
    from done d, unnest(${thumbnails.map((thumbnail) => thumbnail.size)}::int[], ${bodies}::text[]) as x (size, body)`
}

/** Records why rendering failed. `retryAt`: the times of the next attempts, by number of attempts; null if retrying does not help. */
export async function failPreview(
  sql: Queryable,
  contentKey: Uint8Array,
  { failure, retryAt }: { failure: string; retryAt: readonly Date[] | null },
): Promise<void> {
  const times = (retryAt ?? []) as Date[]
  await sql`
    update previews set failure = ${failure}, due_at = coalesce((${times}::timestamptz[])[attempts], due_at),
      state = case
        when ${retryAt === null} then 'impossible' when (${times}::timestamptz[])[attempts] is null then 'failed' else 'waiting' end
    where content_key = ${contentKey} and state = 'waiting'`
}

/** Fails items whose last claim expired. */
export async function failAbandoned(sql: Queryable, mostAttempts: number, now: Date): Promise<void> {
  await sql`
    update previews set state = 'failed', failure = coalesce(failure, 'every renderer that took it ended before it answered')
    where state = 'waiting' and attempts >= ${mostAttempts} and due_at <= ${now}`
}

/** Requeues failed and impossible items, except unsupported media types. Returns their number. */
export async function retryFailed(sql: Queryable, now: Date): Promise<number> {
  const rows = await sql`
    update previews set state = 'waiting', attempts = 0, due_at = ${now}
    where state in ('failed', 'impossible') and kind <> 'other' returning 1`
  return rows.length
}

export interface FoundThumbnail {
  contentType: string | null
  /** Null until it is rendered, and if rendering failed. */
  body: Uint8Array | null
  /** Null until it is queued. */
  state: PreviewState | null
  /** Time of the next attempt after a failure. */
  retryAt: Date | null
  /** Null if only an ord server has the content. */
  contentBytes: number | null
}

/** Returns an inscription's thumbnail at this size, or the largest smaller one; null if the inscription is unknown. */
export function findThumbnail(sql: Queryable, inscriptionId: string, size: number) {
  return first(sql<FoundThumbnail[]>`
    select c.content_type, c.content_length as content_bytes, q.state,
      case when q.state = 'waiting' and q.failure is not null then q.due_at end as retry_at, (
        select s.body from thumbnails s where s.content_key = q.content_key and s.size <= ${size} order by s.size desc limit 1
      ) as body
    from inscription_rows i
    left join previewed_inscriptions p on p.inscription_id = i.inscription_id
    left join previews q on q.content_key = p.content_key
    left join inscription_rows c on c.inscription_id = coalesce(i.delegate_id, i.inscription_id)
    where i.inscription_id = ${inscriptionId}`)
}

/** Returns the content key of an inscription's thumbnail, or null. */
export async function findArt(sql: Queryable, inscriptionId: string): Promise<Uint8Array | null> {
  const found = await first(sql<{ contentKey: Uint8Array }[]>`
    select p.content_key from previewed_inscriptions i join previews p using (content_key)
    where i.inscription_id = ${inscriptionId} and p.state = 'done'`)
  return found?.contentKey ?? null
}

/** Returns the largest thumbnail of a content, as WebP. */
export async function findLargestThumbnail(
  sql: Queryable,
  contentKey: Uint8Array,
): Promise<Uint8Array | null> {
  const found = await first(sql<{ body: Uint8Array }[]>`
    select body from thumbnails where content_key = ${contentKey} order by size desc limit 1`)
  return found?.body ?? null
}

/** Failed: all attempts failed. Impossible: the content has no thumbnail. */
type PreviewState = 'waiting' | 'done' | 'failed' | 'impossible'

export interface Preview {
  state: PreviewState
  /** A 4 by 4 bitmap in base64; null if transparent or not rendered. */
  placeholder: string | null
}

/** Selects an inscription's preview; null until it is queued. */
export const previewOf = (sql: Queryable, inscriptionId: Fragment) => sql`
  (select json_build_object('state', p.state, 'placeholder', encode(p.placeholder, 'base64'))
    from previewed_inscriptions i join previews p using (content_key) where i.inscription_id = ${inscriptionId})`

/** Header of an uncompressed 4 by 4 bitmap, which browsers decode natively. */
const BITMAP =
  'data:image/bmp;base64,Qk1mAAAAAAAAADYAAAAoAAAABAAAAAQAAAABABgAAAAAADAAAAATCwAAEwsAAAAAAAAAAAAA'

/** Returns the placeholder shown while a thumbnail loads; null until it is rendered. */
export const describePreview = (preview: Preview | null) =>
  preview?.state === 'done'
    ? { placeholder: preview.placeholder === null ? null : `${BITMAP}${preview.placeholder}` }
    : null

/** Returns the total size of all thumbnails, in bytes. */
export async function findThumbnailBytes(sql: Queryable): Promise<number> {
  const [row] = await sql<
    { bytes: number }[]
  >`select coalesce(sum(bytes), 0)::bigint as bytes from thumbnails`
  return row!.bytes
}

/** Deletes up to `rows` thumbnails of one size, oldest rendering first. Returns the freed bytes. */
export async function deleteOldestThumbnails(sql: Queryable, size: number, rows: number): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    with gone as (
      delete from thumbnails where size = ${size} and content_key in (
        select s.content_key from thumbnails s join previews p using (content_key)
        where s.size = ${size} order by p.rendered_at limit ${rows}
      ) returning bytes
    )
    select coalesce(sum(bytes), 0)::bigint as bytes from gone`
  return row!.bytes
}

/** Deletes previews of content that is no longer indexed. */
export async function deleteUnused(sql: Queryable): Promise<void> {
  await sql`
    delete from previews p
    where not exists (select 1 from previewed_inscriptions i where i.content_key = p.content_key)`
}
