import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Trap {
  url: string
  udpPort: number
  /** Attacks that reached the trap. Also `connection` and `datagram`. */
  seen: Set<string>
  close(): Promise<void>
}

const nameIn = (url: string) => decodeURIComponent(url.slice(1).split('?')[0]!)

/** Starts a server that records all TCP connections and UDP datagrams. */
export async function openTrap(): Promise<Trap> {
  const seen = new Set<string>()
  const server = createServer((request, reply) => {
    seen.add(nameIn(request.url!))
    reply.setHeader('access-control-allow-origin', '*')
    reply.end('trapped')
  })
  server.on('connection', () => seen.add('connection'))
  server.on('upgrade', (request, socket) => {
    seen.add(nameIn(request.url!))
    socket.destroy()
  })
  server.listen(0, '0.0.0.0')
  const datagrams = createSocket('udp4')
  datagrams.on('message', () => seen.add('datagram'))
  datagrams.bind(0, '0.0.0.0')
  await Promise.all([once(server, 'listening'), once(datagrams, 'listening')])
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    udpPort: datagrams.address().port,
    seen,
    async close() {
      datagrams.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
