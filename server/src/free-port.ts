import { createServer } from 'node:net'

/** A TCP port that is free on the host right now; what binds it next may still lose a race for it. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', fail).listen(0, host, () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => done(port))
    })
  })
}
