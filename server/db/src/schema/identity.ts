import { inTransaction, type Queryable, type Sql } from '../driver/connect.ts'
import { ConfigError } from '../settings/config.ts'

/** The market of a database, set at the first start. Keys are public keys in hex. */
export interface Identity {
  chain: string
  marketKey: string
  marketCoins: string
  guardianKey: string
}

/** Per field: its name in `settings`, its setting or file, and how to fix a mismatch. */
const PARTS: Record<keyof Identity, { setting: string; place: string; fix: string }> = {
  chain: {
    setting: 'chain',
    place: 'CHAIN',
    fix: 'Use a separate database for this server.',
  },
  marketKey: {
    setting: 'market key',
    place: 'cosign.key',
    fix: 'Copy cosign.key from another server of the market or from a backup. With SIGNER_SOCKET, copy it to the signer.',
  },
  marketCoins: {
    setting: 'market coins',
    place: 'coins.key',
    fix: 'Copy coins.key from another server of the market or from a backup. With SIGNER_SOCKET, copy it to the signer.',
  },
  guardianKey: {
    setting: 'guardian key',
    place: 'guardian.key',
    fix: 'Copy guardian.key from another server of the market or from a backup. With GUARDIAN_SOCKET, copy it to the guardian.',
  },
}
const names = Object.keys(PARTS) as (keyof Identity)[]
/** Name of an indexer's chain in `settings`. */
const INDEXER = 'indexer chain'

/** Returns the market of a database, or null before the market's first start. */
export async function findIdentity(sql: Queryable): Promise<Identity | null> {
  const rows = await sql<{ name: string; value: string }[]>`
    select name, value from settings where name in ${sql(names.map((name) => PARTS[name].setting))}`
  if (rows.length === 0) return null
  const values = new Map(rows.map(({ name, value }) => [name, value]))
  return Object.fromEntries(
    names.map((name) => [name, values.get(PARTS[name].setting)]),
  ) as unknown as Identity
}

/** Claims a database for a market at the first start. Throws ConfigError if it belongs to another market or an indexer. */
export async function claimDatabase(sql: Sql, own: Identity): Promise<void> {
  const found = await inTransaction(sql, async (tx) => {
    await tx`lock table settings in share row exclusive mode`
    if (await findIndexerChain(tx))
      throw new ConfigError(
        'DATABASE_URL: this database belongs to an indexer without a market, so its blocks lack market data. Use a separate database for this server.',
      )
    // One statement, so that only one of two concurrent servers sets the fields.
    await tx`insert into settings ${tx(names.map((name) => ({ name: PARTS[name].setting, value: own[name] })))}
      on conflict do nothing`
    return (await findIdentity(tx))!
  })
  assertIdentity(found, own)
}

export function assertIdentity(found: Identity, own: Partial<Identity>): void {
  for (const name of names) {
    const value = own[name]
    if (value === undefined || value === found[name]) continue
    const { setting, place, fix } = PARTS[name]
    throw new ConfigError(
      `${place}: this server has the ${setting} ${value}, but the database belongs to the ${setting} ${found[name]}. ${fix}`,
    )
  }
}

/** Claims an empty database for an indexer. Throws ConfigError if it belongs to a market or another chain. */
export async function claimForIndexer(sql: Sql, chain: string): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`lock table settings in share row exclusive mode`
    if (await findIdentity(tx))
      throw new ConfigError(
        'DATABASE_URL: this database belongs to a market, whose server indexes the chain. Use a separate database for the indexer.',
      )
    await tx`insert into settings (name, value) values (${INDEXER}, ${chain}) on conflict do nothing`
    const found = await findIndexerChain(tx)
    if (found !== chain)
      throw new ConfigError(`CHAIN: found ${chain}, but the index in this database is of ${found}`)
  })
}

async function findIndexerChain(sql: Queryable): Promise<string | null> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${INDEXER}`
  return row?.value ?? null
}
