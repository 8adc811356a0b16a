import { storeJson } from './fileModels/store.json'
import { sdk } from './sdk'

/** With an older journal, the keys could sign orders that were cancelled since. */
const withoutJournal = (name: string) => ({ options: { delete: true, exclude: [`${name}.journal*`] } })

/**
 * A backup contains a dump of the database, because a copy of PostgreSQL's files made while it runs does not start, and the keys without
 * their journals. ord rebuilds its index.
 */
export const { createBackup, restoreInit } = sdk.setupBackups(async () =>
  sdk.Backups.withPgDump({
    imageId: 'postgres',
    dbVolume: 'postgres',
    mountpoint: '/var/lib/postgresql',
    pgdataPath: '/data',
    database: 'ordbook',
    user: 'ordbook',
    password: async () => {
      const store = await storeJson.read().once()
      if (!store) throw new Error('The backup does not contain settings of this package.')
      return store.databasePassword
    },
    initdbArgs: ['--locale=C', '--encoding=UTF8'],
  })
    .addVolume('startos')
    .addVolume('server')
    .addVolume('signer', withoutJournal('signer'))
    .addVolume('guardian', withoutJournal('guardian')),
)
