import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@ordbook/db/driver/connect.ts'
import { startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
    /** For creating databases. Servers under test do not get it. */
    superuserUrl: string
    /** Directory of the template market (market.ts). */
    templateDirectory: string
  }
}

/** Starts one PostgreSQL per run. Each test file creates a database. */
export default async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-test-'))
  chmodSync(directory, 0o755)
  cleanUpAfter(directory)
  const postgres = await startEmbedded(directory)
  // Tests never crash the machine. Without fsync, commits take a third of the time.
  const superuser = connect(postgres.superuserUrl, { max: 1 })
  await superuser.unsafe('alter system set fsync = off')
  await superuser.unsafe('select pg_reload_conf()')
  await superuser.end()
  project.provide('postgresUrl', postgres.url)
  project.provide('superuserUrl', postgres.superuserUrl)
  project.provide('templateDirectory', join(directory, 'template'))
  return async () => {
    await postgres.stop()
    killLeftovers(directory)
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Kills the processes of a run, which have its directory ($0) in their environment. Keeps the children of $1: Vitest ends its workers
 * itself.
 */
const KILL = `for file in $(grep -lsxz "ORDBOOK_TEST_RUN=$0" /proc/[0-9]*/environ); do
  folder=\${file%/environ}
  grep -qsx "PPid:[[:space:]]*$1" "$folder/status" && continue
  kill -QUIT "\${folder#/proc/}" && kill -CONT "\${folder#/proc/}"
done`

/** Waits until the process of the run ends, then kills the others. */
const CLEAN_UP = `cat
${KILL}
rm -rf "$0"`

/** Kills what tests left running: such a process keeps the output of its worker open, so the run would not end. Linux only. */
function killLeftovers(directory: string): void {
  try {
    execFileSync('sh', ['-c', KILL, directory, String(process.pid)], {
      env: { PATH: process.env.PATH },
      stdio: 'ignore',
    })
  } catch {
    // The last process has ended in the meantime.
  }
}

/** Cleans up processes and files even if the run is killed. Linux only. */
function cleanUpAfter(directory: string): void {
  const child = spawn('sh', ['-c', CLEAN_UP, directory], {
    detached: true,
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.unref()
  ;(child.stdin as Socket).unref()
  process.env.ORDBOOK_TEST_RUN = directory
}
