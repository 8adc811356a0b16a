import { pino } from 'pino'
import type { Holder } from './certificates.ts'
import { type KeyConfig, readKeyConfig } from './config.ts'
import { linkOf } from './link-of.ts'
import { closeOnSignal, endOnUnexpected } from './process-policy.ts'
import { type Served, serveCalls } from './transport.ts'
import { ConfigError } from './variables.ts'

/** Runs a process that only holds keys, until a signal stops it. Prints what is wrong with its configuration. */
export async function runAlone(holder: Holder, open: (config: KeyConfig) => Served): Promise<void> {
  try {
    const config = readKeyConfig(process.env)
    const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
    const link = linkOf(config, holder, holder, log)
    if (!link)
      throw new ConfigError(`${holder.toUpperCase()}_SOCKET: expected a path or tls://host:port to listen at`)
    const server = await serveCalls(link, open(config), log)
    console.log(`ordbook ${holder} on ${link.place}`)
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
