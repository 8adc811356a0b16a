import { connect } from '@ordbook/db/driver/connect.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import {
  answersOf,
  answersOfOrd,
  compareAnswers,
  describeDifference,
} from '../../e2e/support/ord-differences.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { findRunning } from './running.ts'

/**
 * `node scripts/market/compare-ord.ts ORD_URL`: compares every inscription of the index with a real `ord` server on the same chain, and
 * with a running server also content and recursive endpoints. Prints the differences, and exits with 1 if there are any. On regtest,
 * compare only below height 150: above it, `ord` uses mainnet's subsidies, which shifts sats lost to fees.
 */
const USAGE =
  'usage: npx node scripts/market/compare-ord.ts ORD_URL   (with DATABASE_URL, or while `npm start` runs)'
const [ordUrl, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (ordUrl === undefined || more.length > 0 || !URL.canParse(ordUrl))
  exitWithUsage(USAGE, 'expected the address of one ord server')
const config = readConfig(process.env)
const running = findRunning(config.dataDir)
const databaseUrl = config.databaseUrl ?? running?.databaseUrl
if (!databaseUrl) exitWithUsage(USAGE, 'no server is running')
const sql = connect(databaseUrl)
const { paths, answer } = await answersOf(running?.url ?? '', sql, [config.chain, config.addressNetwork])
await sql.end()
const compared = running ? paths : paths.filter((path) => path.startsWith('/inscription'))
const { pairs, accepted, differences } = await compareAnswers(compared, answer, answersOfOrd(ordUrl))
for (const difference of differences) console.log(describeDifference(difference))
for (const [reason, count] of Object.entries(accepted)) console.log(`${count} intended: ${reason}`)
console.log(`${pairs} responses compared, ${differences.length} differences`)
process.exitCode = differences.length > 0 ? 1 : 0
