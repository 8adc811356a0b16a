import type { Queryable } from '@ordbook/db/driver/connect.ts'
import { parse } from '@ordbook/process/parse.ts'
import { Type } from 'typebox'
import type { KnownRate } from './rate.ts'

const RATE = Type.Object({
  currency: Type.String(),
  perBtc: Type.Number(),
  at: Type.String(),
  heldPerBtc: Type.Union([Type.Number(), Type.Null()]),
})

export async function findRate(sql: Queryable): Promise<KnownRate | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'fiat rate'`
  if (!row) return null
  const { at, ...rate } = parse(RATE, JSON.parse(row.value), 'fiat rate')
  return { ...rate, at: new Date(at) }
}

export async function saveRate(sql: Queryable, rate: KnownRate): Promise<void> {
  await sql`
    insert into settings (name, value) values ('fiat rate', ${JSON.stringify(rate)})
    on conflict (name) do update set value = excluded.value`
}
