import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a reverse proxy that appends the client to X-Forwarded-For, like nginx with `$proxy_add_x_forwarded_for`. */
export async function startAppendingProxy(target: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const forwardedFor = incoming.headers['x-forwarded-for']
    const forwarded = [forwardedFor, incoming.socket.remoteAddress].filter(Boolean).join(', ')
    const headers = { ...incoming.headers, 'x-forwarded-for': forwarded }
    const onwards = request(
      new URL(incoming.url!, target),
      { method: incoming.method, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onwards.on('error', () => outgoing.destroy())
    incoming.pipe(onwards)
  })
  // A timeout could close an idle connection just as the next request arrives.
  server.keepAliveTimeout = 0
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
