import { restore } from '@ordbook/server/backup/restore.ts'
import { readCommand, refuse } from './command.ts'
import { withDatabase } from './with-database.ts'

/** `npm run restore -- FILE`: fills an empty database from a file of `npm run backup`. */
const USAGE = `usage: npm run restore -- FILE

fills an empty database (DATABASE_URL, or the embedded one of a new DATA_DIR) from a file of \`npm run backup\`, of this version or an older
one. All of it is there afterwards, or nothing`
const [file, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (file === undefined || more.length > 0) refuse(USAGE, 'expected one file')
await withDatabase(async (databaseUrl) => {
  const started = Date.now()
  const { madeAt, tables, rows, migrated } = await restore(databaseUrl, file)
  console.log(
    `restored ${rows} rows of ${tables} tables as of ${madeAt} in ${((Date.now() - started) / 1000).toFixed(1)} s` +
      (migrated.length > 0 ? `, and applied ${migrated.join(', ')}` : ''),
  )
  console.log(
    'put the keys and the newest journals of each key host in their places, then start the server: it ends what was taken back since',
  )
})
