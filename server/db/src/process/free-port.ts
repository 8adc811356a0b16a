import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError } from '../settings/config.ts'

/** A TCP port that is currently free; another program may still take it first. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail).listen(0, host, () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })
}

/**
 * Throws ConfigError unless a server can listen on `host` and `port` (0 for any). Waits up to `patience` milliseconds for a port in use.
 */
export async function refusePortInUse(
  { host, port }: Pick<Config, 'host' | 'port'>,
  patience = 0,
): Promise<void> {
  for (const began = Date.now(); ; await sleep(100))
    try {
      return await new Promise<void>((done, fail) => {
        const probe = createServer()
        probe.once('error', fail).listen(port, host, () => probe.close(() => done()))
      })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' || Date.now() - began >= patience)
        throw listenRefusal(error as NodeJS.ErrnoException, { host, port })
    }
}

/** Converts a listen error to a ConfigError that names the variable; returns other errors unchanged. */
export function listenRefusal(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `PORT: found ${port}, at which another program listens on ${host}; expected a free port, or 0 for any`,
    )
  if (error.code === 'EACCES')
    return new ConfigError(
      `PORT: found ${port}, at which this user may not listen; expected a port from 1024 on`,
    )
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new ConfigError(`HOST: found ${JSON.stringify(host)}, expected an address of this machine`)
  return error
}
