import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Describes the running `npm start` to other scripts. Stored in DATA_DIR, readable only by its owner. */
export interface Running {
  pid: number
  url: string
  rpcUrl: string
  databaseUrl: string
}

/** The description during the start, with the fields known so far. */
type Starting = Pick<Running, 'pid'> & Partial<Running>

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

export function writeRunning(dataDir: string, running: Starting): void {
  const file = fileIn(dataDir)
  writeFileSync(`${file}.new`, JSON.stringify(running, null, 2), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export function removeRunning(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true })
}

/** Whether a start on a data folder was killed. Its processes then exit within seconds. */
export const wasKilled = (dataDir: string): boolean => existsSync(fileIn(dataDir)) && !findStarting(dataDir)

/** Returns the `npm start` of a data folder, which may still be starting. Null if there is none, or it was killed. */
export function findStarting(dataDir: string): Starting | null {
  if (!existsSync(fileIn(dataDir))) return null
  const running: Starting = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'))
  try {
    process.kill(running.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null
  }
  // The process id may have been reused.
  const commandLine = `/proc/${running.pid}/cmdline`
  if (existsSync(commandLine) && !/start\.[jt]s/.test(readFileSync(commandLine, 'utf8'))) return null
  return running
}

export function findRunning(dataDir: string): Running | null {
  const found = findStarting(dataDir)
  return found?.url ? (found as Running) : null
}
