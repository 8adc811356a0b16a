import { existsSync, statfsSync } from 'node:fs'
import { connect } from 'node:net'
import { createClient } from '@redis/client'
import { listIdle } from '../status/queries.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const GIGABYTE = 2 ** 30
/** Below this, writes to journals and the embedded database may fail, which stops trading. */
const MIN_BYTES = GIGABYTE
const FEW_BYTES = 10 * GIGABYTE
/** Connection timeout, in milliseconds. */
const TIMEOUT_MS = 2000

export const diskCheck: Check = {
  about: 'disk',
  mend: 'Set DATA_DIR to a folder that this user can write to.',
  async examine({ config: { dataDir } }) {
    if (!existsSync(dataDir)) return [ok('disk', `${dataDir} will be created at the first start`)]
    const { bavail, bsize } = statfsSync(dataDir)
    const free = bavail * bsize
    const found = `${(free / GIGABYTE).toFixed(1)} GB free at ${dataDir}`
    const mend = 'Free disk space. Signing stops if a journal cannot be written.'
    if (free < MIN_BYTES) return [fault('disk', found, mend)]
    return [free < FEW_BYTES ? warning('disk', found, mend) : ok('disk', found)]
  },
}

/** Checks that follower and jobs are running. */
export const processesCheck: Check = {
  about: 'processes',
  mend: 'Start a server.',
  byDatabase: true,
  async examine({ sql, identity }) {
    if (!identity) return []
    const idle = await listIdle(sql)
    return idle.length === 0
      ? [ok('processes', 'follower and jobs are running')]
      : [
          warning(
            'processes',
            `no process has the role ${idle.join(' or ')}`,
            'Start a server with these ROLES.',
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
    // The rejected promise reports the same error.
    client.on('error', () => {})
    try {
      await client.connect()
      await client.ping()
      return [ok('redis', 'reachable')]
    } finally {
      client.destroy()
    }
  },
}

export const previewsCheck: Check = {
  about: 'previews',
  mend: 'Start a server with the api role, which creates the socket (PREVIEW_SOCKET).',
  async examine({ config: { previewSocket } }): Promise<Finding[]> {
    if (previewSocket === null) return []
    await new Promise<void>((resolve, reject) => {
      const socket = connect(previewSocket, () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', reject)
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('timeout')))
    })
    return [ok('previews', `the socket for renderers is open at ${previewSocket}`)]
  },
}
