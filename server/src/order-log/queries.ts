import type { Queryable } from '../db/connect.ts'

/** A change with its position in the log. */
export interface LoggedChange {
  position: number
  change: object
}

/** Changes of the log after a position, in order. */
export function listLogged(sql: Queryable, after: number, rows: number): Promise<LoggedChange[]> {
  return sql<LoggedChange[]>`
    select position, change from order_log where position > ${after} order by position limit ${rows}`
}

/** The number of changes without a position. */
export async function countUnsealed(sql: Queryable): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from order_changes`
  return row!.count
}

/**
 * Gives some of the changes that are written their positions; says how many. A change that another one follows was written before
 * it, so it is seen with it and has the smaller number.
 */
export async function sealChanges(sql: Queryable, most: number): Promise<number> {
  const rows = await sql`
    with written as (
      delete from order_changes where change_id in (select change_id from order_changes order by change_id limit ${most})
      returning change_id, change
    )
    insert into order_log (position, change)
    select (select coalesce(max(position), 0) from order_log) + row_number() over (order by change_id), change from written returning 1`
  return rows.length
}
