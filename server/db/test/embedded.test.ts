import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { findEmbedded, startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { expect, inject, it } from 'vitest'
import { until } from '../../../e2e/support/market.ts'

it("the server's role owns only its database", async () => {
  const url = inject('postgresUrl')
  const sql = connect(url, { max: 1 })
  try {
    const [role] = await sql`
      select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
        (select array_agg(datname::text) from pg_database where datdba = pg_roles.oid and datname not like 'test\\_%') as owned,
        (select count(*) from pg_auth_members where member = pg_roles.oid) as memberships
      from pg_roles where rolname = current_user`
    expect(role).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      owned: ['ordbook'],
      memberships: 0,
    })
    await expect(sql.unsafe(`copy (select 1) to program 'true'`)).rejects.toMatchObject({ code: '42501' })
  } finally {
    await sql.end()
  }
  const other = connect(Object.assign(new URL(url), { pathname: '/postgres' }).href, { max: 1 })
  await expect(other`select 1`).rejects.toMatchObject({ cause: { code: '42501' } })
  await other.end()
})

/** Starts a database in a separate process group. */
async function startElsewhere(dataDir: string): Promise<ChildProcess> {
  const code = `import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
    await startEmbedded(process.argv[1])
    console.log('started')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await once(child.stdout!, 'data')
  return child
}

it('embedded PostgreSQL stops when its parent is killed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-embedded-'))
  chmodSync(dataDir, 0o755)
  try {
    const file = join(dataDir, 'postgres/postmaster.pid')
    const child = await startElsewhere(dataDir)
    const [pid] = readFileSync(file, 'utf8').split('\n')
    expect(findEmbedded(dataDir)).toMatch(/^postgres:\/\/ordbook:/)
    process.kill(-child.pid!, 'SIGKILL')
    await until('the end of PostgreSQL', async () => !existsSync(`/proc/${pid}`), 10)
    // PostgreSQL had time to shut down cleanly.
    expect(existsSync(file)).toBe(false)
    expect(findEmbedded(dataDir)).toBe(null)

    // After PostgreSQL itself is killed, the next start waits for its sessions to end.
    const other = await startElsewhere(dataDir)
    process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
    const postgres = await startEmbedded(dataDir)
    expect(postgres.found).toBe(false)
    const sql = connect(postgres.url, { max: 1 })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    await sql.end()
    other.kill('SIGKILL')
    await postgres.stop()
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it('startEmbedded recovers from an interrupted initdb', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-embedded-'))
  chmodSync(dataDir, 0o755)
  try {
    const leftover = join(dataDir, 'initdb-killed')
    mkdirSync(join(leftover, 'data'), { recursive: true })
    writeFileSync(join(leftover, 'data/PG_VERSION'), '18\n')
    const starting = startEmbedded(dataDir)
    const seen = new Set<boolean>()
    const poll = setInterval(() => {
      if (existsSync(join(dataDir, 'postgres')))
        seen.add(existsSync(join(dataDir, 'postgres/global/pg_control')))
    }, 1)
    const postgres = await starting
    clearInterval(poll)
    await postgres.stop()
    expect([...seen]).toEqual([true])
    expect(readdirSync(dataDir).filter((name) => name.startsWith('initdb-'))).toEqual([])
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})
