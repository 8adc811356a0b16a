import { restore } from '@ordbook/operations/backup/restore.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market restore FILE`: restores a backup into an empty database. */
const USAGE = `usage: ordbook market restore FILE [--journals-kept]

Fill an empty database from a file of \`ordbook market backup\`, of this version or an older one. Restores everything or
nothing. The database is DATABASE_URL, or the embedded one: move the folder postgres out of DATA_DIR before.

  --journals-kept   The journals of the keys survived and contain the cancels since the backup. Orders stay valid,
                    except offers on inscriptions and acceptances, which are not in the journals.
                    Without it, the server starts only with RESET_JOURNAL=on, which ends every order.`
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { 'journals-kept': { type: 'boolean', default: false } },
})
const [file, ...more] = positionals
if (file === undefined || more.length > 0) exitWithUsage(USAGE, 'expected one file')
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
      ? 'Start the server with its keys and journals. It ends the orders that were cancelled since the backup.'
      : 'Restore the keys, then start signer, guardian and servers once with RESET_JOURNAL=on. This ends every order.',
  )
})
