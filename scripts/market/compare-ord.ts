import { isDeepStrictEqual } from 'node:util'
import { connect } from '@ordbook/db/driver/connect.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { answerAt, recursivePathsOf } from '../../e2e/support/recursive-paths.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { findRunning } from './running.ts'

/**
 * `node scripts/market/compare-ord.ts ORD_URL`: compares every inscription of the index with a real `ord` server on the same chain, and
 * with a running server also the recursive endpoints. Prints the differences, and exits with 1 if there are any. On regtest, compare only
 * below height 150: above it, `ord` uses mainnet's subsidies, which shifts sats lost to fees.
 */
const USAGE =
  'usage: npx node scripts/market/compare-ord.ts ORD_URL   (with DATABASE_URL, or while `npm start` runs)'
const [ordUrl, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (ordUrl === undefined || more.length > 0 || !URL.canParse(ordUrl))
  exitWithUsage(USAGE, 'expected the address of one ord server')
const config = readConfig(process.env)
const databaseUrl = config.databaseUrl ?? findRunning(config.dataDir)?.databaseUrl
if (!databaseUrl) exitWithUsage(USAGE, 'no server is running')
interface Row {
  sequence: number
  inscriptionId: string
  inscriptionNumber: number
  sat: number | null
  txid: string
  vout: number
  satOffset: number
  outputValueSats: number | null
  height: number
  contentType: string | null
  contentLength: number | null
  parentIds: string[]
}
const sql = connect(databaseUrl)
const rows = await sql<Row[]>`
  select sequence, inscription_id, inscription_number, sat, txid, vout, sat_offset, output_value_sats, height, content_type,
    length(body)::int8 as content_length, parent_ids
  from inscriptions order by sequence`
const paths = await recursivePathsOf(sql)
await sql.end()

/** The compared fields of `ord`'s JSON under /inscription/ID. */
interface OrdInscription {
  number: number
  sat: number | null
  satpoint: string
  height: number
  value: number | null
  content_type: string | null
  content_length: number | null
  parents: string[]
}
const getJson = async <T>(path: string): Promise<T | null> => {
  const response = await fetch(new URL(path, ordUrl), { headers: { accept: 'application/json' } })
  return response.ok ? ((await response.json()) as T) : null
}
let differences = 0
for (const row of rows) {
  const ord = await getJson<OrdInscription>(`/inscription/${row.inscriptionId}`)
  const indexed = {
    number: row.inscriptionNumber,
    // Compare sats only if both indexes number them.
    sat: ord?.sat === null ? null : row.sat,
    satpoint: `${row.txid}:${row.vout}:${row.satOffset}`,
    height: row.height,
    value: row.outputValueSats,
    contentType: row.contentType,
    contentLength: row.contentLength,
    parents: row.parentIds.join(),
  }
  const expected = ord && {
    number: ord.number,
    sat: row.sat === null ? null : ord.sat,
    satpoint: ord.satpoint,
    height: ord.height,
    value: ord.value,
    contentType: ord.content_type,
    contentLength: ord.content_length,
    parents: ord.parents.join(),
  }
  if (JSON.stringify(indexed) === JSON.stringify(expected)) continue
  differences++
  console.log(row.inscriptionId, '\n  ours ', JSON.stringify(indexed), '\n  ord  ', JSON.stringify(expected))
}
const status = await getJson<{ inscriptions: number }>('/status')
const total = status?.inscriptions
if (total !== undefined && total !== rows.length) {
  differences++
  console.log(`ord has ${total} inscriptions, the index has ${rows.length}`)
}
const ownUrl = findRunning(config.dataDir)?.url
if (ownUrl)
  for (const path of paths) {
    const [ours, theirs] = await Promise.all([answerAt(ownUrl, path), answerAt(ordUrl, path)])
    if (isDeepStrictEqual(ours, theirs)) continue
    differences++
    console.log(path, '\n  ours ', JSON.stringify(ours), '\n  ord  ', JSON.stringify(theirs))
  }
console.log(
  `${rows.length} inscriptions and ${ownUrl ? paths.length : 0} recursive responses compared, ${differences} differences`,
)
process.exitCode = differences > 0 ? 1 : 0
