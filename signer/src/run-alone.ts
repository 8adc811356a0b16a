import type { Server } from 'node:https'
import { pino } from 'pino'
import type { Holder } from './certificates.ts'
import { type KeyConfig, readKeyConfig } from './config.ts'
import { linkOf } from './link-of.ts'
import { type OpenKeys, openPair } from './open-pair.ts'
import { closeOnSignal, endOnUnexpected } from './process-policy.ts'
import { type Served, serveCalls } from './transport.ts'
import { ConfigError } from './variables.ts'

/** Runs a process that only holds keys, until a signal stops it. Prints what is wrong with its configuration. */
export async function runAlone(
  holder: Holder,
  open: (config: KeyConfig) => Pick<Served, 'calls' | 'api'> & OpenKeys,
): Promise<void> {
  try {
    const config = readKeyConfig(process.env)
    const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
    const link = linkOf(config, holder, holder, log)
    if (!link || link.others)
      throw new ConfigError(`${holder.toUpperCase()}_SOCKET: expected a path or tls://host:port to listen at`)
    const { calls, api, ...keys } = open(config)
    const paired = await openPair(config, holder, keys, log)
    const served = { calls, api, mark: () => keys.journal.mark(), ...(paired && { pair: paired.pair }) }
    const server = await serveCalls(link, served, log)
    endOnUnexpected(log)
    closeOnSignal(log, async () => {
      await paired?.pair.leave()
      await Promise.all([server, ...(paired ? [paired.server] : [])].map(closed))
    })
    console.log(`ordbook ${holder} on ${link.place}`)
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}

function closed(server: Server): Promise<unknown> {
  const done = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  return done
}
