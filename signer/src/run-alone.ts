import type { Server } from 'node:https'
import { pino } from 'pino'
import { type KeyConfig, readKeyConfig } from './config.ts'
import { closeOnSignal, endOnUnexpected } from './process-policy.ts'
import { ConfigError } from './variables.ts'

/** Runs a process that only serves a socket, until a signal stops it. Prints what is wrong with its configuration. */
export async function runAlone(start: (config: KeyConfig) => Promise<Server>): Promise<void> {
  try {
    const config = readKeyConfig(process.env)
    const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
    const server = await start(config)
    endOnUnexpected(log)
    closeOnSignal(log, () => {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      return closed
    })
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}
