import { hash } from 'node:crypto'
import { once } from 'node:events'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { ConfigError } from './variables.ts'

/**
 * Holds a folder, the journal of a key or a mirror's copy, for this process until it ends, however it ends: by a name of Linux (an abstract socket), which no kill leaves behind.
 * Gives what lets go of it before. Throws ConfigError where another process holds it.
 */
export async function holdAlone(folder: string, holder: string): Promise<() => void> {
  if (process.platform !== 'linux') return () => {}
  const server = createServer((socket) => socket.destroy()).unref()
  server.listen(`\0ordbook ${holder} ${hash('sha256', realpathSync(folder))}`)
  await once(server, 'listening').catch((error: Error) => {
    throw new ConfigError(`another ${holder} runs on ${folder}: ${error.message}`)
  })
  return () => server.close()
}
