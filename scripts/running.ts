import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Description of the running `npm start` for the other scripts; in DATA_DIR, for the owner's eyes alone. */
export interface Running {
  pid: number
  url: string
  rpcUrl: string
  databaseUrl: string
}

const fileIn = (dataDir: string) => join(dataDir, 'running.json')

export function writeRunning(dataDir: string, running: Running): void {
  writeFileSync(fileIn(dataDir), JSON.stringify(running, null, 2), { mode: 0o600 })
}

export function removeRunning(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true })
}

/** The server that runs on a data folder; null when none does, or the one that wrote the file was killed. */
export function findRunning(dataDir: string): Running | null {
  if (!existsSync(fileIn(dataDir))) return null
  const running: Running = JSON.parse(readFileSync(fileIn(dataDir), 'utf8'))
  try {
    process.kill(running.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null
  }
  // Another process may have got the number since.
  const commandLine = `/proc/${running.pid}/cmdline`
  if (existsSync(commandLine) && !/start\.[jt]s/.test(readFileSync(commandLine, 'utf8'))) return null
  return running
}
