import { existsSync, statfsSync } from 'node:fs'
import { connect } from 'node:net'
import { createClient } from '@redis/client'
import { listIdle } from '../status/queries.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const GIGABYTE = 2 ** 30
/** The journals and the embedded database stop trading when they cannot be written. */
const MIN_BYTES = GIGABYTE
const FEW_BYTES = 10 * GIGABYTE
/** The longest wait for a connection, in milliseconds. */
const TIMEOUT_MS = 2000

export const diskCheck: Check = {
  about: 'disk',
  mend: 'See that DATA_DIR names a folder that this user may write',
  async examine({ config: { dataDir } }) {
    if (!existsSync(dataDir)) return [ok('disk', `${dataDir} is made at the first start`)]
    const { bavail, bsize } = statfsSync(dataDir)
    const free = bavail * bsize
    const found = `${(free / GIGABYTE).toFixed(1)} GB free at ${dataDir}`
    const mend = 'Make room: nothing is signed once a journal cannot be written'
    if (free < MIN_BYTES) return [fault('disk', found, mend)]
    return [free < FEW_BYTES ? warning('disk', found, mend) : ok('disk', found)]
  },
}

/** The processes that work under a lease. */
export const processesCheck: Check = {
  about: 'processes',
  mend: 'Start a server',
  byDatabase: true,
  async examine({ sql, identity }) {
    if (!identity) return []
    const idle = await listIdle(sql)
    return idle.length === 0
      ? [ok('processes', 'follower and jobs are at work')]
      : [
          warning(
            'processes',
            `no process works as ${idle.join(' or ')}`,
            'Start a server, with these ROLES among its own',
          ),
        ]
  },
}

export const redisCheck: Check = {
  about: 'redis',
  mend: 'Start Redis and check REDIS_URL. Until then each server counts requests separately.',
  async examine({ config }) {
    if (config.redisUrl === null) return []
    const client = createClient({
      url: config.redisUrl,
      disableOfflineQueue: true,
      socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false },
    })
    // Its error comes by the promise too.
    client.on('error', () => {})
    try {
      await client.connect()
      await client.ping()
      return [ok('redis', 'answers')]
    } finally {
      client.destroy()
    }
  },
}

export const previewsCheck: Check = {
  about: 'previews',
  mend: 'Start a server with the api role, which makes the socket (PREVIEW_SOCKET)',
  async examine({ config: { previewSocket } }): Promise<Finding[]> {
    if (previewSocket === null) return []
    await new Promise<void>((resolve, reject) => {
      const socket = connect(previewSocket, () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', reject)
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer')))
    })
    return [ok('previews', `renderers are awaited at ${previewSocket}`)]
  },
}
