import { accessSync, constants, opendirSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, resolve } from 'node:path'
import { createClient } from '@redis/client'
import { freeBytes } from '../status/free-bytes.ts'
import { findPreviewStall, listIdle } from '../status/queries.ts'
import { type Check, type Finding, fault, OLD_SCHEMA, ok, warning } from './finding.ts'

const GIGABYTE = 1e9
/** As in the alerts OrdbookDiskFull and OrdbookDiskLow. Below this, writes to journals and the embedded database may fail, which stops trading. */
const MIN_BYTES = GIGABYTE
const FEW_BYTES = 10 * GIGABYTE
/** As in the alert OrdbookPreviewStall. */
const STALLED_SECONDS = 600
/** Connection timeout, in milliseconds. */
const TIMEOUT_MS = 2000

export const diskCheck: Check = {
  failure: 'disk-unreadable',
  mend: 'Set DATA_DIR to a folder that this user can write to.',
  async examine({ config: { dataDir } }) {
    const folder = existingFolder(resolve(dataDir))
    accessSync(folder, constants.W_OK | constants.X_OK)
    return folder === resolve(dataDir)
      ? [judgeDisk(dataDir, freeBytes(dataDir))]
      : [ok('disk', `${dataDir} will be created at the first start`)]
  },
}

/** Returns the folder, or its nearest parent that exists. Throws if that is not a readable folder. */
function existingFolder(folder: string): string {
  try {
    opendirSync(folder).closeSync()
    return folder
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return existingFolder(dirname(folder))
  }
}

export function judgeDisk(folder: string, free: number): Finding {
  const found = `${(free / GIGABYTE).toFixed(1)} GB free at ${folder}`
  const mend = 'Free disk space. Signing stops if a journal cannot be written.'
  if (free < MIN_BYTES) return fault('disk-full', found, mend)
  return free < FEW_BYTES ? warning('disk-low', found, mend) : ok('disk', found)
}

/** Checks that follower and jobs are running. */
export const processesCheck: Check = {
  ...OLD_SCHEMA,
  async examine({ sql, identity }) {
    if (!identity) return []
    const idle = await listIdle(sql)
    return idle.length === 0
      ? [ok('processes', 'follower and jobs are running')]
      : [
          fault(
            'role-idle',
            `no process has the role ${idle.join(' or ')}`,
            'Start a server with these ROLES.',
          ),
        ]
  },
}

export const redisCheck: Check = {
  failure: 'redis-down',
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
  failure: 'previews-unreachable',
  mend: 'Start a server with the api role, which creates the socket (PREVIEW_SOCKET).',
  async examine({ config: { previewSocket }, sql, identity }): Promise<Finding[]> {
    if (previewSocket === null) return []
    await new Promise<void>((resolve, reject) => {
      const socket = connect(previewSocket, () => {
        socket.destroy()
        resolve()
      })
      socket.once('error', reject)
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('timeout')))
    })
    const stalled = identity ? await findPreviewStall(sql, new Date()) : 0
    return [
      stalled <= STALLED_SECONDS
        ? ok('previews', `the socket for renderers is open at ${previewSocket}`)
        : warning(
            'previews-stalled',
            `items wait for thumbnails, and none was rendered for ${Math.round(stalled / 60)} minutes`,
            'Check that a renderer is running (ordbook market previews), and check its log.',
          ),
    ]
  },
}
