import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inTransaction, type Sql } from './connect.ts'

const FOLDER = join(import.meta.dirname, 'migrations')
/** Any fixed number: the advisory lock that lets one process migrate at a time. */
const LOCK = 7_281_001

/** Brings the schema up to date: each numbered file once, in order, all in one transaction. Gives the files applied. */
export function migrate(sql: Sql): Promise<string[]> {
  return inTransaction(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    await tx`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const done = new Set((await tx<{ name: string }[]>`select name from migrations`).map((row) => row.name))
    const pending = readdirSync(FOLDER)
      .filter((name) => name.endsWith('.sql') && !done.has(name))
      .sort()
    for (const name of pending) {
      await tx.unsafe(readFileSync(join(FOLDER, name), 'utf8'))
      await tx`insert into migrations (name) values (${name})`
    }
    await tx`insert into secrets (name, secret) values ('cursor', ${randomBytes(32)}) on conflict do nothing`
    return pending
  })
}

/** A secret that all processes of this market share. */
export async function readSecret(sql: Sql, name: string): Promise<Uint8Array> {
  const [row] = await sql<{ secret: Uint8Array }[]>`select secret from secrets where name = ${name}`
  if (!row) throw new Error(`the database holds no secret ${name}: was it migrated?`)
  return row.secret
}
