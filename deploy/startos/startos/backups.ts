import { storeJson } from './fileModels/store.json'
import { sdk } from './sdk'

/** A journal that comes back older would let keys sign what was taken back since. */
const withoutJournal = (name: string) => ({ options: { delete: true, exclude: [`${name}.journal*`] } })

/**
 * The database as a dump, since a copy of PostgreSQL's files during work does not start; and the keys without their journals. The index of
 * ord is read again.
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
      if (!store) throw new Error('the backup holds no settings of this package')
      return store.databasePassword
    },
    initdbArgs: ['--locale=C', '--encoding=UTF8'],
  })
    .addVolume('startos')
    .addVolume('server')
    .addVolume('signer', withoutJournal('signer'))
    .addVolume('guardian', withoutJournal('guardian')),
)
