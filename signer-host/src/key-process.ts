import { mkdirSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:https'
import { serveHealth } from '@ordbook/process/health.ts'
import { lockFolder } from '@ordbook/process/process-lock.ts'
import { closeOnSignal, endOnUnexpected } from '@ordbook/process/process-policy.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import type { Holder } from '@ordbook/signer/link.ts'
import { type Served, serveCalls } from '@ordbook/signer/transport.ts'
import { pino } from 'pino'
import { type KeyConfig, readKeyConfig } from './config.ts'
import { keyHealth } from './key-health.ts'
import { linkOf } from './link-of.ts'
import { type OpenKeys, openPair } from './open-pair.ts'

/** Keys of a process. `needed` throws if another dependency, such as the guardian's node, is unavailable. */
type Keys = Pick<Served, 'calls' | 'api'> & OpenKeys & { needed?: () => Promise<void> }

/** Runs a key process until a signal stops it. Prints configuration errors and exits with 1. */
export async function runKeyProcess(holder: Holder, open: (config: KeyConfig) => Keys): Promise<void> {
  try {
    const config = readKeyConfig(process.env)
    const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
    const link = linkOf(config, holder, holder, log)
    if (!link || link.others)
      throw new ConfigError(`${holder.toUpperCase()}_SOCKET: expected a path or tls://host:port to listen on`)
    await lockKeys(config.dataDir, holder)
    const { calls, api, needed, ...keys } = open(config)
    const { journal } = keys
    const paired = await openPair(config, holder, keys, log)
    const health = keyHealth(holder, {
      journal,
      pair: paired?.pair ?? null,
      certificates: link.certificates,
      needed,
    })
    const served = { calls, api, mark: () => journal.mark(), ...(paired && { pair: paired.pair }) }
    const servers: (Server | HttpServer)[] = [
      await serveCalls(link, { ...served, onAnswer: health.count }, log),
    ]
    if (paired) servers.push(paired.server)
    if (config.healthSocket !== null) servers.push(await serveHealth(config.healthSocket, health))
    endOnUnexpected(log)
    closeOnSignal(log, async () => {
      await paired?.pair.leave()
      await Promise.all(servers.map(closed))
    })
    console.log(`ordbook ${holder} on ${link.place}`)
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}

/** Two processes on one journal would not know each other's revocations and fees. Throws ConfigError. */
async function lockKeys(folder: string, holder: Holder): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new ConfigError(`DATA_DIR: cannot create ${folder}: ${(error as Error).message}`)
  }
  await lockFolder(folder, holder)
}

function closed(server: Server | HttpServer): Promise<unknown> {
  const done = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  return done
}
