import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError } from '../settings/config.ts'

/** Returns a TCP port that is currently free. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail).listen(0, host, () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })
}

/** Throws ConfigError if no server can listen on `host` and `port` (0: any port). Waits up to `timeoutMs` for a port in use. */
export async function assertPortFree(
  { host, port }: Pick<Config, 'host' | 'port'>,
  timeoutMs = 0,
): Promise<void> {
  for (const startedAt = Date.now(); ; await sleep(100))
    try {
      return await new Promise<void>((done, fail) => {
        const probe = createServer()
        probe.once('error', fail).listen(port, host, () => probe.close(() => done()))
      })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' || Date.now() - startedAt >= timeoutMs)
        throw listenRefusal(error as NodeJS.ErrnoException, { host, port })
    }
}

/** Converts a listen error to a ConfigError; returns other errors unchanged. */
export function listenRefusal(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `PORT: port ${port} on ${host} is in use. Set PORT to a free port, or to 0 for any free port.`,
    )
  if (error.code === 'EACCES')
    return new ConfigError(`PORT: this user cannot listen on port ${port}. Set PORT to 1024 or higher.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new ConfigError(`HOST: found ${JSON.stringify(host)}, expected an address of this machine`)
  return error
}
