import { backUp } from '@ordbook/operations/backup/backup.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market backup FILE`: writes a consistent snapshot of the market's database to a file. */
const USAGE = `usage: ordbook market backup FILE

Write a snapshot of the database (DATABASE_URL, or the embedded one in DATA_DIR) to a file while the market runs. Keys and journals are not
included. Back them up on each host that has keys.`
const [file, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (file === undefined || more.length > 0) exitWithUsage(USAGE, 'expected one file')
await withDatabase(async (databaseUrl) => {
  const started = Date.now()
  const { tables, rows } = await backUp(databaseUrl, file, new Date())
  console.log(`${file}: ${rows} rows of ${tables} tables in ${((Date.now() - started) / 1000).toFixed(1)} s`)
})
