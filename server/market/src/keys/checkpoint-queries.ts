import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { Mark } from '@ordbook/signer/mark.ts'

/** The journals of the keys that a market uses, by their name in `settings`. */
export type JournalName = 'signer journal' | 'guardian journal'

/** The mark of a journal as this market last saw it; null before the first time. */
export async function findMark(sql: Queryable, name: JournalName): Promise<Mark | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${name}`
  const [journal, lines] = row?.value.split(' ') ?? []
  return journal && lines ? { journal, lines: Number(lines) } : null
}

/** Records the mark of a journal, if it is further than the last one. */
export async function keepMark(sql: Queryable, name: JournalName, { journal, lines }: Mark): Promise<void> {
  await sql`
    insert into settings as s (name, value) values (${name}, ${`${journal} ${lines}`})
    on conflict (name) do update set value = excluded.value
    where split_part(s.value, ' ', 1) <> ${journal} or split_part(s.value, ' ', 2)::bigint < ${lines}`
}

const FORGOTTEN = { journal: '0'.repeat(64), lines: 0 }

/**
 * Has a database that belongs to a market trust no journal: it was restored from a backup, and what was taken back since may be
 * in none.
 */
export async function forgetMarks(sql: Queryable): Promise<void> {
  await sql`
    update settings set value = ${`${FORGOTTEN.journal} ${FORGOTTEN.lines}`} where name in ('signer journal', 'guardian journal')`
}

export const isForgotten = (mark: Mark) => mark.journal === FORGOTTEN.journal

/** Notes that the database was restored from a backup at this time: some of its orders may have ended meanwhile. */
export async function noteRestore(sql: Queryable, at: Date): Promise<void> {
  await sql`
    insert into settings (name, value) values ('restored', ${at.toISOString()})
    on conflict (name) do update set value = excluded.value`
}

/** The time at which the database was restored; null where it was not, or where what follows from it is done. */
export async function findRestore(sql: Queryable): Promise<Date | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'restored'`
  return row ? new Date(row.value) : null
}

export async function forgetRestore(sql: Queryable): Promise<void> {
  await sql`delete from settings where name = 'restored'`
}
