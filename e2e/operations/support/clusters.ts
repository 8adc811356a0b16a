import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from '@ordbook/db/driver/connect.ts'
import { findBinaries, ownerForRoot, usableBinaries } from '@ordbook/db/embedded/postgres-binaries.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { until } from '../../support/market.ts'

const run = promisify(execFile)

/** Directory of PostgreSQL 16 or newer. Default: the npm package's server and the system's `pg_dump`. */
const { ORDBOOK_TEST_POSTGRES } = process.env

/** Returns the directory of a compatible `pg_dump`, or null. */
export function findDumpPrograms(): string | null {
  const versionOf = (program: string) =>
    Number(/\d+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))![0])
  const server = versionOf(join(serverFolder(), 'postgres'))
  const folders = ORDBOOK_TEST_POSTGRES ? [ORDBOOK_TEST_POSTGRES] : (process.env.PATH ?? '').split(delimiter)
  const isFit = (folder: string) =>
    existsSync(join(folder, 'pg_restore')) && versionOf(join(folder, 'pg_dump')) >= server
  return folders.find(isFit) ?? null
}

const serverFolder = () => ORDBOOK_TEST_POSTGRES ?? dirname(findBinaries().postgres)

export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'ordbook-cluster-'))
  private readonly port: number
  private readonly owner = process.getuid?.() === 0 ? ownerForRoot() : null
  private readonly bin: string
  private readonly log = openSync(join(this.folder, 'log'), 'a')

  private constructor(port: number) {
    this.port = port
    chmodSync(this.folder, 0o755)
    this.bin =
      ORDBOOK_TEST_POSTGRES ?? dirname(usableBinaries(findBinaries(), this.folder, this.owner).postgres)
  }

  static async start(): Promise<Cluster> {
    const cluster = new Cluster(await freePort())
    for (const name of ['wal', 'data']) cluster.makeFolder(name)
    await cluster.program('initdb', ['-D', cluster.data, '-U', 'postgres', '-A', 'trust', '--no-sync'])
    writeFileSync(join(cluster.data, 'ordbook.conf'), cluster.settings())
    appendFileSync(join(cluster.data, 'postgresql.conf'), "include 'ordbook.conf'\n")
    await cluster.launch()
    await cluster.query('create role ordbook login')
    return cluster
  }

  url(database: string, role = 'postgres'): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`
  }

  async createDatabase(): Promise<string> {
    const name = `market_${randomBytes(6).toString('hex')}`
    await this.query(`create database ${name} owner ordbook`)
    return this.url(name, 'ordbook')
  }

  async query(statement: string): Promise<void> {
    const admin = connect(this.url('postgres'), { max: 1 })
    await admin.unsafe(statement)
    await admin.end()
  }

  async program(name: string, args: readonly string[], folder = this.bin): Promise<void> {
    await run(join(folder, name), args, { ...this.owner, cwd: this.folder })
  }

  makeFolder(name: string): string {
    const folder = join(this.folder, name)
    mkdirSync(folder, { mode: 0o700 })
    if (this.owner) chownSync(folder, this.owner.uid, this.owner.gid)
    return folder
  }

  async stop(): Promise<void> {
    await this.program('pg_ctl', ['-D', this.data, '-m', 'fast', '-w', 'stop'])
  }

  async launch(): Promise<void> {
    // Do not use pg_ctl: the server would inherit its pipes and keep them open.
    const server = spawn(join(this.bin, 'postgres'), ['-D', this.data, '-p', String(this.port)], {
      ...this.owner,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', this.log],
    })
    server.unref()
    await until('the recovery to end', async () => {
      const admin = connect(this.url('postgres'), { max: 1 })
      const isWritable = await admin<{ standby: boolean }[]>`select pg_is_in_recovery() as standby`.then(
        ([row]) => !row!.standby,
        () => false,
      )
      await admin.end()
      return isWritable
    })
  }

  copyFiles(name: string): void {
    cpSync(this.data, join(this.folder, name), { recursive: true, preserveTimestamps: true })
    this.own(join(this.folder, name))
  }

  /** Takes an online base backup with pg_backup_start and pg_backup_stop. */
  async copyRunning(name: string): Promise<void> {
    const session = connect(this.url('postgres'), { max: 1 })
    await session`select pg_backup_start('test', true)`
    // cp exits with 1 if files vanish while it copies; their changes are in the WAL.
    await run('cp', ['-a', this.data, join(this.folder, name)]).catch(() => {})
    const [label] = await session<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
    await session.end()
    const copy = join(this.folder, name)
    writeFileSync(join(copy, 'backup_label'), label!.labelfile)
    rmSync(join(copy, 'postmaster.pid'))
    rmSync(join(copy, 'pg_wal'), { recursive: true })
    mkdirSync(join(copy, 'pg_wal'), { mode: 0o700 })
    this.own(copy)
  }

  replaceFiles(name: string): void {
    rmSync(this.data, { recursive: true })
    cpSync(join(this.folder, name), this.data, { recursive: true, preserveTimestamps: true })
    this.own(this.data)
  }

  /** Makes the next start recover to a restore point in the WAL archive. */
  recoverTo(point: string): void {
    const { folder, data } = this
    const settings = [
      `restore_command = 'cp "${join(folder, 'wal')}/%f" "%p"'`,
      `recovery_target_name = '${point}'`,
      `recovery_target_action = 'promote'`,
    ]
    writeFileSync(join(data, 'ordbook.conf'), `${this.settings()}${settings.join('\n')}\n`)
    writeFileSync(join(data, 'recovery.signal'), '')
    this.own(data)
  }

  async close(): Promise<void> {
    await this.stop()
    closeSync(this.log)
    rmSync(this.folder, { recursive: true, force: true })
  }

  private get data(): string {
    return join(this.folder, 'data')
  }

  private settings(): string {
    const archive = join(this.folder, 'wal')
    return [
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      'max_connections = 200',
      'fsync = off',
      'archive_mode = on',
      // Overwrite: a cluster restored from a snapshot archives segments with the same names again.
      `archive_command = 'cp "%p" "${archive}/%f"'`,
      '',
    ].join('\n')
  }

  private own(path: string): void {
    if (!this.owner) return
    const { uid, gid } = this.owner
    chownSync(path, uid, gid)
    for (const each of readdirSync(path, { recursive: true, encoding: 'utf8' }))
      chownSync(join(path, each), uid, gid)
    chmodSync(path, 0o700)
  }
}
