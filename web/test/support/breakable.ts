import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Starts a proxy with connections that tests can cut and restore. */
export async function breakable(url: string) {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const listen = async (at: number) => {
    proxy.listen(at, '127.0.0.1')
    await once(proxy, 'listening')
    return (proxy.address() as { port: number }).port
  }
  const own = await listen(0)
  const cut = async () => {
    const closed = once(proxy, 'close')
    proxy.close()
    for (const each of open) each.destroy()
    await closed
  }
  return { url: `http://127.0.0.1:${own}`, cut, mend: () => listen(own) }
}
