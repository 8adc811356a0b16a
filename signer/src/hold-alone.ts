import { hash } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Holder } from './certificates.ts'
import { ConfigError } from './variables.ts'

/**
 * Holds the journal of a folder for this process until it ends, however it ends: by a name of Linux (an abstract socket), which no kill leaves behind.
 * Throws ConfigError where another process holds it.
 */
export async function holdAlone(folder: string, holder: Holder): Promise<void> {
  if (process.platform !== 'linux') return
  const server = createServer((socket) => socket.destroy()).unref()
  server.listen(`\0ordbook ${holder} ${hash('sha256', realpathSync(folder))}`)
  await once(server, 'listening').catch((error: Error) => {
    throw new ConfigError(`another ${holder} runs on ${folder}: ${error.message}`)
  })
}
