import { ParseError, parse } from '@ordbook/signer/parse.ts'
import { analyze, begin, commit } from '../backup/queries.ts'
import { ConfigError } from '../config.ts'
import { connectForTools, type Queryable } from '../db/connect.ts'
import { findIdentity } from '../db/identity.ts'
import { Change } from './change.ts'
import { demandCurrent } from './export.ts'
import {
  beginImport,
  endOpenOrders,
  findMisplacedChange,
  insertListings,
  insertLogged,
  insertNamedCollections,
  insertNoWallet,
  insertOffers,
  insertSales,
  isWithoutOrders,
  rebuildNamedCollections,
} from './import-queries.ts'
import { type ReadLog, readLog } from './read.ts'

const REASON = 'its signatures are of the market that it was imported from: it has to be made again'
/** Changes that are written at once. */
const ROWS = 1000

export interface ImportReport {
  changes: number
  listings: number
  offers: number
  sales: number
  /** Orders that were open, and ended. */
  ended: number
}

/**
 * Fills a market without orders from an exported log of the same network, in one transaction: all of it is there afterwards, or nothing
 * is. Its own log goes on from there. Orders that were open end: another market's keys signed them. Throws ConfigError.
 */
export async function importLog(databaseUrl: string, file: string, now: Date): Promise<ImportReport> {
  const connection = await connectForTools(databaseUrl, 'import')
  const { sql } = connection
  try {
    const report = await readLog(file, async (log) => {
      await begin(sql)
      const found = await importIn(sql, file, log, now)
      await commit(sql)
      return found
    })
    await analyze(sql)
    return report
  } finally {
    connection.destroy()
  }
}

async function importIn(sql: Queryable, file: string, log: ReadLog, now: Date): Promise<ImportReport> {
  await demandCurrent(sql)
  const market = await findIdentity(sql)
  if (!market) throw new ConfigError('this database belongs to no market yet: start the server once')
  if (market.chain !== log.header.network)
    throw new ConfigError(`${file} is of the network ${log.header.network}, this market of ${market.chain}`)
  await beginImport(sql)
  if (!(await isWithoutOrders(sql)))
    throw new ConfigError('this market has orders of its own: import into a new one; nothing was changed')
  const changes = await writeChanges(sql, file, log)
  const misplaced = await findMisplacedChange(sql)
  if (misplaced !== null)
    throw new ConfigError(
      `${file}: change ${misplaced} is of an order that it does not begin, or begins twice`,
    )
  await insertNamedCollections(sql, now)
  const noWallet = await insertNoWallet(sql)
  const listings = await insertListings(sql, noWallet, now)
  const offers = await insertOffers(sql, noWallet, { reason: REASON, now })
  const sales = await insertSales(sql)
  const ended = await endOpenOrders(sql, { reason: REASON, now })
  await rebuildNamedCollections(sql)
  return { changes, listings, offers, sales, ended }
}

/** Writes the log itself, each change parsed; gives how many. */
async function writeChanges(sql: Queryable, file: string, { changes }: ReadLog): Promise<number> {
  let last = 0
  let batch: { position: number; text: string }[] = []
  for await (const { position, change } of changes) {
    last = position
    batch.push({ position, text: JSON.stringify(parseChange(file, position, change)) })
    if (batch.length < ROWS) continue
    await insertLogged(sql, batch)
    batch = []
  }
  await insertLogged(sql, batch)
  return last
}

function parseChange(file: string, position: number, change: object): object {
  try {
    return parse(Change, change, `change ${position}`)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new ConfigError(`${file}: change ${position} is none that is known here: ${error.message}`, {
      cause: error,
    })
  }
}
