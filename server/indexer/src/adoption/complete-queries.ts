import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'

export interface Incomplete {
  sequence: number
  inscriptionId: string
  tries: number
  /** The delegate, if the index lacks it. */
  missingDelegate: string | null
}

const ROWS = 1000

export async function insertIncomplete(
  tx: Transaction,
  rows: readonly { sequence: number; claimsParents: boolean }[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS) {
    const batch = rows.slice(at, at + ROWS)
    await tx`
      insert into incomplete_inscriptions (sequence, claims_parents)
      select * from unnest(${batch.map((row) => row.sequence)}::bigint[],
        ${batch.map((row) => row.claimsParents)}::boolean[])`
  }
}

/** Returns the next inscriptions to fetch, fewest failures first (index incomplete_inscriptions_next). */
export function listIncomplete(sql: Queryable, rows: number): Promise<Incomplete[]> {
  return sql<Incomplete[]>`
    select c.sequence, i.inscription_id, c.tries, case when d.sequence is null then i.delegate_id end as missing_delegate
    from (select * from incomplete_inscriptions order by tries, sequence limit ${rows}) c
    join inscription_rows i using (sequence) left join inscription_rows d on d.inscription_id = i.delegate_id
    order by c.tries, c.sequence`
}

export async function deleteIncomplete(tx: Transaction, sequences: readonly number[]): Promise<void> {
  await tx`delete from incomplete_inscriptions where sequence = any(${sequences as number[]}::bigint[])`
}

/** Counts a failure and moves the inscriptions to the end of the queue. Deletes those with `mostTries` failures and no claimed parents. */
export async function postpone(
  sql: Queryable,
  sequences: readonly number[],
  mostTries: number,
): Promise<void> {
  await sql`
    update incomplete_inscriptions set tries = tries + 1 where sequence = any(${sequences as number[]}::bigint[])`
  await sql`
    delete from incomplete_inscriptions
    where sequence = any(${sequences as number[]}::bigint[]) and tries >= ${mostTries} and not claims_parents`
}

export interface Completed {
  sequence: number
  sat: number | null
  reinscription: boolean
  vindicated: boolean
  parentIds: string[]
}

/** Stores the data. Returns the ids of added parents. */
export async function complete(tx: Transaction, rows: readonly Completed[]): Promise<string[]> {
  await tx`
    update inscription_rows i set sat = c.sat, reinscription = c.reinscription, vindicated = c.vindicated
    from unnest(${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.sat)}::bigint[],
      ${rows.map((row) => row.reinscription)}::boolean[], ${rows.map((row) => row.vindicated)}::boolean[])
      as c (sequence, sat, reinscription, vindicated)
    where i.sequence = c.sequence
      and (i.sat, i.reinscription, i.vindicated) is distinct from (c.sat, c.reinscription, c.vindicated)`
  const gained: string[] = []
  for (const { sequence, parentIds } of rows) {
    if (parentIds.length === 0) continue
    const [row] = await tx<{ gained: string[] }[]>`
      with before as (select sequence, parent_ids from inscription_rows where sequence = ${sequence} for update)
      update inscription_rows i set parent_ids = ${parentIds}::text[] from before b
      where i.sequence = b.sequence and b.parent_ids <> ${parentIds}::text[]
      returning array(select unnest(i.parent_ids) except select unnest(b.parent_ids)) as gained`
    gained.push(...(row?.gained ?? []))
  }
  return gained
}
