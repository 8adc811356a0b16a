import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:https'
import type { ListenOptions } from 'node:net'
import { ConfigError } from './variables.ts'

/** Listens with limits on connections and idle time. Throws ConfigError on failure. */
export async function bindAt(
  server: Server | HttpServer,
  at: ListenOptions,
  { place, milliseconds, connections }: { place: string; milliseconds: number; connections: number },
): Promise<void> {
  server.maxConnections = connections
  server.setTimeout(milliseconds)
  server.listen(at)
  await once(server, 'listening').catch((error: Error) => {
    throw new ConfigError(`cannot listen on ${place}: ${error.message}`)
  })
}
