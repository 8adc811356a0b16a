import type { Queryable } from '@ordbook/db/driver/connect.ts'

export interface PreviewCount {
  state: string
  kind: string
  count: number
}

export function countPreviews(sql: Queryable): Promise<PreviewCount[]> {
  return sql<PreviewCount[]>`
    select state, kind, count(*) as count from previews group by state, kind order by state, kind`
}

export async function countRenderedSince(sql: Queryable, since: Date): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) as count from previews where state = 'done' and rendered_at > ${since}`
  return row!.count
}

export interface FailureCount {
  state: string
  kind: string
  failure: string | null
  count: number
  inscriptionId: string | null
}

/** Counts failures by reason, most frequent first. Waiting items failed and are retried. */
export function listFailures(sql: Queryable, rows: number): Promise<FailureCount[]> {
  return sql<FailureCount[]>`
    select state, kind, failure, count(*) as count, min(inscription_id) as inscription_id from previews
    where failure is not null group by state, kind, failure order by count(*) desc, state, kind, failure limit ${rows}`
}
