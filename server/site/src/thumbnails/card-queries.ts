import { first, type Queryable } from '@ordbook/db/driver/connect.ts'
import type { Card, CardTexts } from './card.ts'

/** The content whose still shows an inscription; null where there is no still. */
export async function findArt(sql: Queryable, inscriptionId: string): Promise<Uint8Array | null> {
  const found = await first(sql<{ contentKey: Uint8Array }[]>`
    select p.content_key from previewed_inscriptions i join previews p using (content_key)
    where i.inscription_id = ${inscriptionId} and p.state = 'done'`)
  return found?.contentKey ?? null
}

export interface KeptCard {
  state: 'waiting' | 'done' | 'failed'
  body: Uint8Array | null
}

/** A card by its key; null where none is kept or waits. */
export function findCard(sql: Queryable, key: Uint8Array) {
  return first(sql<KeptCard[]>`select state, body from og_images where image_key = ${key}`)
}

/**
 * Has a card drawn, in place of any other of its page; false where `most` wait already. Both in one statement: a page has one card at most,
 * and one that is asked for twice is drawn once.
 */
export async function askForCard(
  sql: Queryable,
  { key, subject, contentKey, texts }: Card,
  { most, now }: { most: number; now: Date },
): Promise<boolean> {
  const rows = await sql`
    insert into og_images (image_key, subject, content_key, texts, state, due_at, requested_at)
    select ${key}, ${subject}, ${contentKey}, ${JSON.stringify(texts)}::text::jsonb, 'waiting', ${now}, ${now}
    where (select count(*) from (select from og_images where state = 'waiting' limit ${most}) waiting) < ${most}
      or exists (select from og_images where subject = ${subject} and state = 'waiting')
    on conflict (subject) do update set image_key = excluded.image_key, content_key = excluded.content_key, texts = excluded.texts,
      state = excluded.state, attempts = 0, due_at = excluded.due_at, requested_at = excluded.requested_at, body = null
    where og_images.image_key <> excluded.image_key
    returning 1`
  return rows.length > 0
}

interface ClaimedCard {
  imageKey: Uint8Array
  texts: CardTexts
  /** The largest still that is kept, as WebP. */
  still: Uint8Array
}

/** Takes the card that was asked for last, since its client may still wait, for a renderer until `dueAt`; null where none waits. */
export function claimCard(
  sql: Queryable,
  { mostAttempts, now, dueAt }: { mostAttempts: number; now: Date; dueAt: Date },
) {
  return first(sql<ClaimedCard[]>`
    update og_images c set attempts = c.attempts + 1, due_at = ${dueAt}
    from (
      select q.image_key, s.body from og_images q, lateral (
        select body from thumbnails s where s.content_key = q.content_key order by s.size desc limit 1
      ) s
      where q.state = 'waiting' and q.due_at <= ${now} and q.attempts < ${mostAttempts}
      order by q.requested_at desc limit 1 for update of q skip locked
    ) found
    where c.image_key = found.image_key
    returning c.image_key, c.texts, found.body as still`)
}

/** Keeps a card that was drawn, where it is still wanted. */
export async function keepCard(sql: Queryable, key: Uint8Array, body: Uint8Array): Promise<void> {
  await sql`update og_images set state = 'done', body = ${body} where image_key = ${key} and state = 'waiting'`
}

/** Gives up a card that cannot be drawn. */
export async function failCard(sql: Queryable, key: Uint8Array): Promise<void> {
  await sql`update og_images set state = 'failed' where image_key = ${key} and state = 'waiting'`
}

/** Deletes the cards beyond `most`, those that were asked for longest ago, and what is not drawn and was asked for before `since`. */
export async function boundCards(sql: Queryable, most: number, since: Date): Promise<void> {
  await sql`delete from og_images where state <> 'done' and requested_at < ${since}`
  await sql`
    delete from og_images where image_key in (
      select image_key from og_images where state = 'done' order by requested_at desc offset ${most})`
}

/** Cards that are drawn, and their bytes. */
export async function countCards(sql: Queryable): Promise<{ count: number; bytes: number }> {
  const [row] = await sql<{ count: number; bytes: number }[]>`
    select count(*) as count, coalesce(sum(octet_length(body)), 0)::bigint as bytes from og_images where state = 'done'`
  return row!
}
