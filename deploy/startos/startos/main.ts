import { storeJson } from './fileModels/store.json'
import { i18n } from './i18n'
import { sdk } from './sdk'
import { databaseUrl, marketPort, nodeAddress, ordPort } from './utils'
import { nodeFolder, withCookie } from './withCookie'

const PROGRAMS = '/usr/lib/ordbook/lib'

const volume = (volumeId: 'postgres' | 'ord' | 'server' | 'signer' | 'guardian', mountpoint: string) =>
  sdk.Mounts.of().mountVolume({ volumeId, subpath: null, mountpoint, readonly: false })

/** Folder with the socket and shared secret of a key process. */
const socketOf = (name: 'signer' | 'guardian') => ({
  volumeId: 'run' as const,
  subpath: name,
  mountpoint: `/run/${name}`,
  readonly: false,
  type: 'directory' as const,
})

const NODE = {
  dependencyId: 'bitcoind' as const,
  volumeId: 'main',
  subpath: null,
  mountpoint: nodeFolder,
  readonly: true,
}

export const main = sdk.setupMain(async ({ effects }) => {
  console.info(i18n('The market starts'))
  const store = await storeJson.read().const(effects)
  if (!store) throw new Error('This package has no settings. Install it again.')
  const node = await nodeAddress(effects)
  if (!node) throw new Error('The Bitcoin service has no address yet.')
  // Restored keys have no journals. Reset the journals once, which ends every order.
  const journal = store.isRestored ? { RESET_JOURNAL: 'on' } : {}
  let isOpen = false

  const container = (
    imageId: 'ordbook' | 'postgres' | 'ord',
    mounts: ReturnType<typeof volume>,
    name: string,
  ) => sdk.SubContainer.of(effects, { imageId }, mounts, name)
  const database = container('postgres', volume('postgres', '/var/lib/postgresql'), 'postgres')
  const ord = container('ord', volume('ord', '/var/lib/ord').mountDependency(NODE), 'ord')
  const signer = container('ordbook', volume('signer', '/data').mountVolume(socketOf('signer')), 'signer')
  const guardian = container(
    'ordbook',
    volume('guardian', '/data').mountVolume(socketOf('guardian')).mountDependency(NODE),
    'guardian',
  )
  // No key volumes: the server only connects to the sockets and reads the secrets next to them.
  const server = container(
    'ordbook',
    volume('server', '/data')
      .mountVolume(socketOf('signer'))
      .mountVolume(socketOf('guardian'))
      .mountDependency(NODE),
    'server',
  )

  const answers = (port: number, successMessage: string, errorMessage: string) => () =>
    sdk.healthCheck.checkPortListening(effects, port, { successMessage, errorMessage })
  const holdsSocket = (of: typeof signer, name: string) => async () => {
    const { exitCode } = await of.exec(['test', '-S', `/run/${name}/${name}.sock`], { user: 'root' })
    return exitCode === 0
      ? { result: 'success' as const, message: i18n('The keys are ready') }
      : { result: 'starting' as const, message: i18n('The keys are not ready') }
  }

  return sdk.Daemons.of(effects)
    .addDaemon('postgres', {
      subcontainer: database,
      exec: {
        command: sdk.useEntrypoint(['-c', 'listen_addresses=127.0.0.1']),
        env: {
          POSTGRES_USER: 'ordbook',
          POSTGRES_PASSWORD: store.databasePassword,
          POSTGRES_DB: 'ordbook',
          POSTGRES_INITDB_ARGS: '--locale=C --encoding=UTF8',
          PGDATA: '/var/lib/postgresql/data',
        },
      },
      ready: {
        display: i18n('Database'),
        fn: answers(5432, i18n('The database is ready'), i18n('The database is not ready')),
      },
      requires: [],
    })
    .addDaemon('ord', {
      subcontainer: ord,
      exec: {
        command: ['ord', 'server', '--http', '--address', '127.0.0.1', '--http-port', String(ordPort)],
        env: {
          ORD_DATA_DIR: '/var/lib/ord',
          ORD_BITCOIN_RPC_URL: node,
          ORD_COOKIE_FILE: `${nodeFolder}/.cookie`,
          ORD_INDEX_ADDRESSES: 'true',
          ORD_INDEX_RUNES: 'true',
        },
        sigtermTimeout: 900_000,
        user: 'root',
      },
      ready: {
        display: i18n('ord server'),
        fn: answers(ordPort, i18n('The ord server is ready'), i18n('The ord server is not ready')),
      },
      requires: [],
    })
    .addDaemon('signer', {
      subcontainer: signer,
      exec: {
        command: ['node', `${PROGRAMS}/signer.js`],
        env: {
          ...journal,
          DATA_DIR: '/data',
          SIGNER_SOCKET: '/run/signer/signer.sock',
          SIGNER_SECRET_FILE: '/run/signer/secret',
        },
        user: 'root',
      },
      ready: { display: i18n('Keys'), fn: holdsSocket(signer, 'signer') },
      requires: [],
    })
    .addDaemon('guardian', {
      subcontainer: guardian,
      exec: {
        command: withCookie(node, `exec node ${PROGRAMS}/guardian.js`),
        env: {
          ...journal,
          DATA_DIR: '/data',
          GUARDIAN_SOCKET: '/run/guardian/guardian.sock',
          GUARDIAN_SECRET_FILE: '/run/guardian/secret',
        },
        user: 'root',
      },
      ready: { display: null, fn: holdsSocket(guardian, 'guardian') },
      requires: [],
    })
    .addDaemon('server', {
      subcontainer: server,
      exec: {
        // Waits until node and ord are synced, and shows the progress.
        command: withCookie(
          node,
          `node ${PROGRAMS}/ordbook.js market begin wait && exec node ${PROGRAMS}/server.js`,
        ),
        env: {
          ...journal,
          CHAIN: 'main',
          DATA_DIR: '/data',
          HOST: '0.0.0.0',
          PORT: String(marketPort),
          DATABASE_URL: databaseUrl(store.databasePassword),
          ORD_URL: `http://127.0.0.1:${ordPort}`,
          SIGNER_SOCKET: '/run/signer/signer.sock',
          SIGNER_SECRET_FILE: '/run/signer/secret',
          GUARDIAN_SOCKET: '/run/guardian/guardian.sock',
          GUARDIAN_SECRET_FILE: '/run/guardian/secret',
          MARKET_NAME: store.marketName,
          SELLER_FEE_BPS: String(store.sellerFeeBps),
          BUYER_FEE_BPS: String(store.buyerFeeBps),
          ...(store.publicUrl ? { PUBLIC_URL: store.publicUrl } : {}),
        },
        user: 'root',
      },
      ready: {
        display: i18n('The market'),
        gracePeriod: 120_000,
        fn: async () => {
          const isReady = await fetch(`http://127.0.0.1:${marketPort}/readyz`).then(
            ({ ok }) => ok,
            () => false,
          )
          if (!isReady) return { result: 'loading', message: i18n('The market is not open yet') }
          // This change restarts the service once, without RESET_JOURNAL.
          if (store.isRestored && !isOpen) await storeJson.merge(effects, { isRestored: false })
          isOpen = true
          return { result: 'success', message: i18n('The market is open') }
        },
      },
      requires: ['postgres', 'ord', 'signer', 'guardian'],
    })
})
