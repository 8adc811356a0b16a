import { spawn } from 'node:child_process'
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
    /** Makes databases; the servers under test never get it. */
    superuserUrl: string
    /** Holds the files of the template that markets start from (market.ts). */
    templateDirectory: string
  }
}

/** One real PostgreSQL for all suites of a run; each file makes a database of its own in it. */
export default async function setup(project: TestProject) {
  const directory = mkdtempSync(join(tmpdir(), 'ordbook-test-'))
  chmodSync(directory, 0o755)
  cleanUpAfter(directory)
  const postgres = await startEmbedded(directory)
  // Suites kill processes, never the machine, so nothing needs the disk: a commit takes a third of the time.
  const superuser = connect(postgres.superuserUrl, { max: 1 })
  await superuser.unsafe('alter system set fsync = off')
  await superuser.unsafe('select pg_reload_conf()')
  await superuser.end()
  project.provide('postgresUrl', postgres.url)
  project.provide('superuserUrl', postgres.superuserUrl)
  project.provide('templateDirectory', join(directory, 'template'))
  return async () => {
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Waits for this process to end. $0 is the run's folder, by which its processes are found. */
const CLEAN_UP = `cat
for file in $(grep -lsxz "ORDBOOK_TEST_RUN=$0" /proc/[0-9]*/environ); do
  file=\${file%/environ}
  kill -QUIT "\${file#/proc/}" && kill -CONT "\${file#/proc/}"
done
rm -rf "$0"`

/** Ends the processes that a run leaves behind if it is killed, on Linux. */
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
