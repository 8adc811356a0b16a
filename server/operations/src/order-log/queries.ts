import type { Queryable } from '@ordbook/db/driver/connect.ts'

export interface LoggedChange {
  position: number
  change: object
}

export function listLogged(sql: Queryable, after: number, rows: number): Promise<LoggedChange[]> {
  return sql<LoggedChange[]>`
    select position, change from order_log where position > ${after} order by position limit ${rows}`
}

export async function countUnsealed(sql: Queryable): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from order_log_queue`
  return row!.count
}

/**
 * Assigns positions to queued changes. Returns their number. A change is visible only together with all
 * changes it depends on, which have lower ids.
 */
export async function sealChanges(sql: Queryable, most: number): Promise<number> {
  const rows = await sql`
    with written as (
      delete from order_log_queue where change_id in (select change_id from order_log_queue order by change_id limit ${most})
      returning change_id, change
    )
    insert into order_log (position, change)
    select (select coalesce(max(position), 0) from order_log) + row_number() over (order by change_id), change from written returning 1`
  return rows.length
}

/** A change with the hash of its line in hex. */
export interface HashedChange extends LoggedChange {
  hash: string
}

/** Returns the last change that has a hash, or null. */
export async function findLastHashed(sql: Queryable): Promise<{ position: number; hash: string } | null> {
  const [row] = await sql<{ position: number; hash: string }[]>`
    select position, encode(hash, 'hex') as hash from order_log_hashes order by position desc limit 1`
  return row ?? null
}

export async function findHash(sql: Queryable, position: number): Promise<string | null> {
  const [row] = await sql<{ hash: string }[]>`
    select encode(hash, 'hex') as hash from order_log_hashes where position = ${position}`
  return row?.hash ?? null
}

export async function insertHashes(
  sql: Queryable,
  lines: readonly { position: number; hash: string; bytes: number }[],
): Promise<void> {
  await sql`
    insert into order_log_hashes (position, hash, bytes)
    select n, decode(h, 'hex'), b from unnest(${lines.map(({ position }) => position)}::bigint[],
      ${lines.map(({ hash }) => hash)}::text[], ${lines.map(({ bytes }) => bytes)}::int[]) as x (n, h, b)`
}

/**
 * Lists at least one hashed change after a position, and at most `rows` changes of `bytes` in total.
 * `isFinished`: more changes follow.
 */
export async function listHashed(
  sql: Queryable,
  after: number,
  { rows, bytes }: { rows: number; bytes: number },
): Promise<{ changes: HashedChange[]; isFinished: boolean }> {
  const found = await sql<(Omit<HashedChange, 'change'> & { change: object | null })[]>`
    with lines as (
      select position, hash, sum(bytes) over (order by position) as total, row_number() over (order by position) as n
      from (select * from order_log_hashes where position > ${after} order by position limit ${rows + 1}) next
    )
    select l.position, encode(l.hash, 'hex') as hash,
      case when l.n = 1 or (l.n <= ${rows}::int and l.total <= ${bytes}::bigint) then o.change end as change
    from lines l join order_log o on o.position = l.position order by l.position`
  const changes = found.filter((each): each is HashedChange => each.change !== null)
  return { changes, isFinished: changes.length < found.length }
}

/** Returns the newest signed head, or null. Hash and signature are in hex. */
export async function findSignedHead(
  sql: Queryable,
): Promise<{ position: number; hash: string; signature: string } | null> {
  const [row] = await sql<{ position: number; hash: string; signature: string }[]>`
    select position, encode(hash, 'hex') as hash, encode(signature, 'hex') as signature from order_log_head`
  return row ?? null
}

/** Stores a signed head if it is newer than the stored one. */
export async function saveSignedHead(
  sql: Queryable,
  { position, hash, signature }: { position: number; hash: string; signature: Uint8Array },
): Promise<void> {
  await sql`
    insert into order_log_head as kept (position, hash, signature)
    values (${position}, decode(${hash}, 'hex'), ${signature})
    on conflict (is_only) do update set position = excluded.position, hash = excluded.hash, signature = excluded.signature
    where excluded.position > kept.position`
}
