import { storeJson } from './fileModels/store.json'
import { sdk } from './sdk'

/** With an older journal, the keys could sign cancelled orders. */
const withoutJournal = (name: string) => ({ options: { delete: true, exclude: [`${name}.journal*`] } })

/**
 * A backup contains a database dump and the keys without their journals. A copy of a running PostgreSQL does not start, and ord rebuilds
 * its index.
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
