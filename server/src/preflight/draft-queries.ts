import { json, type Queryable, type Transaction } from '../db/connect.ts'

export type DraftKind =
  | 'offer'
  | 'counter'
  | 'counter-acceptance'
  | 'collection-offer'
  | 'fill'
  | 'swap'
  | 'relist'
  | 'reclaim'
  | 'move'

export interface DraftRow {
  handle: string
  kind: DraftKind
  walletBindingId: string
  request: object
  prepared: object
  expiresAt: Date
  /** Null until it is submitted. */
  answer: unknown
}

/** Keeps what was prepared; preparing the same again takes the place of what was not submitted. */
export async function upsertDraft(sql: Queryable, row: Omit<DraftRow, 'answer'>): Promise<void> {
  await sql`
    insert into drafts (handle, kind, wallet_binding_id, request, prepared, expires_at)
    values (${row.handle}, ${row.kind}, ${row.walletBindingId}, ${json(sql, row.request)}, ${json(sql, row.prepared)},
      ${row.expiresAt})
    on conflict (handle) do update set kind = excluded.kind, wallet_binding_id = excluded.wallet_binding_id,
      request = excluded.request, prepared = excluded.prepared, expires_at = excluded.expires_at, answer = null`
}

/** Drafts by handle, in the order of the handles, locked. */
export function lockDrafts(tx: Transaction, handles: readonly string[]): Promise<DraftRow[]> {
  return tx<DraftRow[]>`
    select d.handle, kind, wallet_binding_id, request, prepared, expires_at, answer
    from unnest(${handles as string[]}::text[]) with ordinality as h (handle, n) join drafts d using (handle)
    order by h.n for update of d`
}

export async function setDraftAnswer(tx: Transaction, handle: string, answer: object): Promise<void> {
  await tx`update drafts set answer = ${json(tx, answer)} where handle = ${handle}`
}

/** Drops drafts that nobody can submit, and a day later those that were. */
export async function deleteDrafts(sql: Queryable, now: Date): Promise<void> {
  await sql`delete from drafts where answer is null and expires_at < ${now}`
  await sql`delete from drafts where answer is not null and expires_at < ${now}::timestamptz - interval '1 day'`
}
