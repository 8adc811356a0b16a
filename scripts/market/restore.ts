import { restore } from '@ordbook/operations/backup/restore.ts'
import { readCommand, refuse } from '../command.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market restore FILE`: fills an empty database from a file of `ordbook market backup`. */
const USAGE = `usage: ordbook market restore FILE [--journals-kept]

fills an empty database (DATABASE_URL, or the embedded one of a new DATA_DIR) from a file of \`ordbook market backup\`, of this version or an older
one. Restores everything or nothing

  --journals-kept   the journals of the keys outlived the database, and hold what was taken back since the backup: orders stand,
                    but for named offers and acceptances, which no journal holds.
                    Without it every order ends at the next start, and is made again by its wallet`
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { 'journals-kept': { type: 'boolean', default: false } },
})
const [file, ...more] = positionals
if (file === undefined || more.length > 0) refuse(USAGE, 'expected one file')
const areJournalsKept = values['journals-kept']
await withDatabase(async (databaseUrl) => {
  const started = Date.now()
  const { madeAt, tables, rows, migrated } = await restore(databaseUrl, file, { areJournalsKept })
  console.log(
    `restored ${rows} rows of ${tables} tables as of ${madeAt} in ${((Date.now() - started) / 1000).toFixed(1)} s` +
      (migrated.length > 0 ? `, and applied ${migrated.join(', ')}` : ''),
  )
  console.log(
    areJournalsKept
      ? 'put the keys and their journals in their places, then start the server: it ends what was taken back since'
      : 'put the keys in their places, then start signer, guardian and servers once with RESET_JOURNAL=on: every order ends',
  )
})
