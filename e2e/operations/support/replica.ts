import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { until } from '../../support/market.ts'
import { endPostgres, type FaultyDatabase } from './faults.ts'

export interface StreamingReplica {
  url: string
  admin: Sql
  logged(): string
  start(): Promise<void>
  kill(): Promise<void>
  close(): Promise<void>
}

/** Stops a database briefly to copy it, and starts the copy as a streaming replica. */
export async function startReplica(primary: FaultyDatabase): Promise<StreamingReplica> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-replica-'))
  chmodSync(folder, 0o755)
  const directory = join(folder, 'postgres')
  const binary = readlinkSync(`/proc/${primary.processes()[0]}/exe`)
  await primary.stop('fast')
  execFileSync('cp', ['-a', primary.directory, directory])
  await primary.start()
  const { uid, gid } = statSync(directory)
  const port = await freePort()
  const source = new URL(primary.superuserUrl())
  const from = `host=127.0.0.1 port=${new URL(primary.url).port} user=${source.username} password=${source.password}`
  writeFileSync(join(directory, 'standby.signal'), '')
  appendFileSync(join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`)
  const at = (url: string) => {
    const replicaUrl = new URL(url)
    replicaUrl.port = String(port)
    return replicaUrl.href
  }
  const admin = connect(at(primary.superuserUrl()), { max: 1 })
  const log = join(folder, 'log')
  const start = async () => {
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      // The replica does not start if this is below the primary's value.
      'max_connections=200',
      'log_min_messages=warning',
    ]
    spawn(binary, ['-D', directory, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])], {
      uid,
      gid,
      cwd: directory,
      stdio: ['ignore', 'ignore', openSync(log, 'a')],
      detached: true,
    }).unref()
    await until('the replica', async () => {
      const rows = await admin`select 1 from pg_stat_wal_receiver where status = 'streaming'`.catch(() => [])
      return rows.length === 1
    })
  }
  await start()
  return {
    url: at(primary.url),
    admin,
    logged: () => readFileSync(log, 'utf8'),
    start,
    kill: () => endPostgres(directory, 'SIGKILL'),
    async close() {
      await admin.end({ timeout: 1 })
      await endPostgres(directory, 'SIGKILL').catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
