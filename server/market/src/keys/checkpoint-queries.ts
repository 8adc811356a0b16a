import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { Mark } from '@ordbook/signer/checkpoint.ts'

/** Names of the journal checkpoints in `settings`. */
export type JournalName = 'signer journal' | 'guardian journal'

export async function findCheckpoint(sql: Queryable, name: JournalName): Promise<Mark | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${name}`
  const [journal, lines] = row?.value.split(' ') ?? []
  return journal && lines ? { journal, lines: Number(lines) } : null
}

/** Stores a newer journal checkpoint. `isReplacing` overwrites any checkpoint, after a journal was lost. */
export async function saveCheckpoint(
  sql: Queryable,
  name: JournalName,
  { journal, lines }: Mark,
  isReplacing: boolean,
): Promise<void> {
  await sql`
    insert into settings as s (name, value) values (${name}, ${`${journal} ${lines}`})
    on conflict (name) do update set value = excluded.value
    where ${isReplacing} or split_part(s.value, ' ', 1) <> ${journal} or split_part(s.value, ' ', 2)::bigint < ${lines}`
}

const FORGOTTEN = { journal: '0'.repeat(64), lines: 0 }

/** Invalidates all checkpoints after a restore. The journals may lack later cancels. */
export async function deleteCheckpoints(sql: Queryable): Promise<void> {
  await sql`
    update settings set value = ${`${FORGOTTEN.journal} ${FORGOTTEN.lines}`} where name in ('signer journal', 'guardian journal')`
}

export const isForgotten = (mark: Mark) => mark.journal === FORGOTTEN.journal
