import type { Queryable, Transaction } from '@ordbook/db/driver/connect.ts'

/** An inscription with facts that are still to be fetched from ord. */
export interface Incomplete {
  sequence: number
  inscriptionId: string
  tries: number
}

/** Maximum rows per statement. */
const ROWS = 1000

export async function insertIncomplete(
  tx: Transaction,
  rows: readonly { sequence: number; claimsParents: boolean }[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS) {
    const some = rows.slice(at, at + ROWS)
    await tx`
      insert into incomplete_inscriptions (sequence, claims_parents)
      select * from unnest(${some.map((each) => each.sequence)}::bigint[],
        ${some.map((each) => each.claimsParents)}::boolean[])`
  }
}

/** The next inscriptions, those with the fewest failures first (index incomplete_inscriptions_next). */
export function listIncomplete(sql: Queryable, rows: number): Promise<Incomplete[]> {
  return sql<Incomplete[]>`
    select c.sequence, i.inscription_id, c.tries
    from (select * from incomplete_inscriptions order by tries, sequence limit ${rows}) c
    join inscriptions i using (sequence) order by c.tries, c.sequence`
}

export async function deleteIncomplete(tx: Transaction, sequences: readonly number[]): Promise<void> {
  await tx`delete from incomplete_inscriptions where sequence = any(${sequences as number[]}::bigint[])`
}

/** Moves inscriptions for which ord failed behind the others. After `mostTries`, gives up on those that claim no parent. */
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

/** Facts from ord about an inscription that the index read itself. */
export interface Completed {
  sequence: number
  sat: number | null
  reinscription: boolean
  vindicated: boolean
  parentIds: string[]
}

/** Stores the facts; returns the parents that were added to inscriptions. */
export async function complete(tx: Transaction, rows: readonly Completed[]): Promise<string[]> {
  await tx`
    update inscription_rows i set sat = c.sat, reinscription = c.reinscription, vindicated = c.vindicated
    from unnest(${rows.map((each) => each.sequence)}::bigint[], ${rows.map((each) => each.sat)}::bigint[],
      ${rows.map((each) => each.reinscription)}::boolean[], ${rows.map((each) => each.vindicated)}::boolean[])
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
