import { json, limitOf, type Queryable, type Transaction } from '@ordbook/db/driver/connect.ts'

export interface PreflightRow {
  handle: string
  kind: string
  walletBindingId: string
  /** A later preflight of this wallet, kind and subject replaces it. */
  subject: string | null
  /** Canonical form of the fields that the submit must repeat. */
  request: object
  prepared: object
  expiresAt: Date
  /** Response of the submit. */
  answer: unknown
}

/** Stores a preflight, which replaces a pending one with its subject. Deletes the wallet's oldest pending preflights above `keep`. */
export async function upsertPreflight(
  sql: Queryable,
  row: Omit<PreflightRow, 'answer'>,
  keep: number,
): Promise<void> {
  await sql`
    with dropped as (
      delete from preflights where handle in (
        select handle from preflights
        where wallet_binding_id = ${row.walletBindingId} and answer is null and handle <> ${row.handle}
        order by expires_at desc, handle offset ${keep - 1} for update skip locked)
    ), replaced as (
      delete from preflights
      where wallet_binding_id = ${row.walletBindingId} and answer is null and handle <> ${row.handle}
        and kind = ${row.kind} and subject = ${row.subject}
    )
    insert into preflights (handle, kind, wallet_binding_id, subject, request, prepared, expires_at)
    values (${row.handle}, ${row.kind}, ${row.walletBindingId}, ${row.subject}, ${json(sql, row.request)},
      ${json(sql, row.prepared)}, ${row.expiresAt})
    on conflict (handle) do update set kind = excluded.kind, wallet_binding_id = excluded.wallet_binding_id,
      subject = excluded.subject, request = excluded.request, prepared = excluded.prepared, expires_at = excluded.expires_at, answer = null`
}

/** Locks and returns preflights in the order of `handles`. */
export function lockPreflights(tx: Transaction, handles: readonly string[]): Promise<PreflightRow[]> {
  return tx<PreflightRow[]>`
    select p.handle, kind, wallet_binding_id, subject, request, prepared, expires_at, answer
    from unnest(${handles as string[]}::text[]) with ordinality as h (handle, n) join preflights p using (handle)
    order by h.n for update of p`
}

export async function setPreflightAnswer(tx: Transaction, handle: string, answer: object): Promise<void> {
  await tx`update preflights set answer = ${json(tx, answer)} where handle = ${handle}`
}

export async function deletePreflight(sql: Queryable, handle: string): Promise<void> {
  await sql`delete from preflights where handle = ${handle} and answer is null`
}

/** Deletes expired preflights. Keeps submitted ones for another day. Returns the number of deleted rows. */
export async function deleteExpiredPreflights(sql: Queryable, now: Date, most: number): Promise<number> {
  const rows = await sql`
    delete from preflights where handle in (
      (select handle from preflights where answer is null and expires_at < ${now} limit ${limitOf(sql, most)})
      union all (select handle from preflights where answer is not null and expires_at < ${now}::timestamptz - interval '1 day'
        limit ${limitOf(sql, most)}))
    returning 1`
  return rows.length
}
