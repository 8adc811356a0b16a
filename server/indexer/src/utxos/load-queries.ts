import { first, type Queryable } from '@ordbook/db/driver/connect.ts'
import { parseJson } from '@ordbook/process/parse.ts'
import { type Static, Type } from 'typebox'
import { Count, Nullable } from '../node/answers.ts'
import { UTXO_FAILURES, type UtxoFailure } from './load-failure.ts'

/** The last report of the follower, in `settings`, because other processes serve it. */
const LOAD = Type.Object({
  /** In milliseconds since 1970. */
  at: Count,
  /** `waiting`: the node hashes its coins first. Null between two loads. */
  phase: Nullable(Type.Enum(['waiting', 'reading', 'indexing'])),
  coinsRead: Nullable(Count),
  coinsTotal: Nullable(Count),
  /** Of the phase. */
  percent: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
  /** Estimated seconds until the phase ends. */
  secondsLeft: Nullable(Count),
  failure: Nullable(
    Type.Object({
      at: Count,
      is: Type.Enum(Object.keys(UTXO_FAILURES) as UtxoFailure[]),
      /** The error, for the operator. */
      detail: Type.String(),
    }),
  ),
})
export type UtxoLoad = Static<typeof LOAD>

/** State of the table of UTXOs. */
export interface UtxoState extends Omit<UtxoLoad, 'at'> {
  /** `failed`: the table is empty, and the last load failed. */
  state: 'loading' | 'ready' | 'failed'
  /** Of the last block in the table; null until it is loaded. */
  height: number | null
}

/** A follower reports more often while it loads. */
const SILENT_MS = 60_000

const IDLE = { phase: null, coinsRead: null, coinsTotal: null, percent: null, secondsLeft: null }

export async function findUtxoState(sql: Queryable, now = Date.now()): Promise<UtxoState> {
  const row = await first(sql<{ load: string | null; height: number | null }[]>`
    select (select value from settings where name = 'utxo load') as load,
      (select max(height) from utxo_blocks) as height`)
  const { load: text, height } = row!
  const load = text === null ? null : parseJson(LOAD, text)
  const failure = load?.failure ?? null
  if (height !== null) return { ...IDLE, state: 'ready', height, failure }
  const isSilent = load === null || now - load.at > SILENT_MS
  const { at: _, ...progress } = isSilent ? { ...IDLE, at: 0 } : load
  return { ...progress, state: failure ? 'failed' : 'loading', height, failure }
}

export async function saveUtxoLoad(sql: Queryable, load: UtxoLoad): Promise<void> {
  await sql`
    insert into settings (name, value) values ('utxo load', ${JSON.stringify(load)})
    on conflict (name) do update set value = excluded.value`
}

export async function forgetUtxoLoad(sql: Queryable): Promise<void> {
  await sql`delete from settings where name = 'utxo load'`
}

/** Returns the progress of `indexUtxos` in percent; null if it is not running. Half of the work is sorting. */
export async function findIndexingPercent(sql: Queryable): Promise<number | null> {
  const row = await first(sql<{ percent: number }[]>`
    select (case
        when phase like '%scanning%' then 50.0 * blocks_done / greatest(blocks_total, 1)
        when phase like '%sorting%' then 50
        when phase like '%loading%' then 50 + 50.0 * tuples_done / greatest(tuples_total, 1)
        else 0 end)::float8 as percent
    from pg_stat_progress_create_index
    where datname = current_database() and relid = 'utxos'::regclass`)
  return row && Math.min(100, row.percent)
}
