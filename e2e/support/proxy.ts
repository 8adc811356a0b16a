import { createServer, connect as dial, type Socket } from 'node:net'

/** A TCP proxy before a server, which can fail as networks do. */
export interface TcpProxy {
  port: number
  /** Where new connections go from now on. */
  to(port: number): void
  /** Swallows everything, the ends of connections too, until `pass`: then what was held back is delivered. */
  hole(): void
  /** Ends every connection and refuses new ones until `pass`. */
  refuse(): void
  pass(): void
  /** Ends every connection as a router does that lost its state. */
  reset(): void
  close(): Promise<void>
}

/** Starts a proxy before a port of this machine. */
export async function startProxy(target: number): Promise<TcpProxy> {
  type Mode = 'pass' | 'hole' | 'refuse'
  let mode: Mode = 'pass'
  const sockets = new Set<Socket>()
  /** Ends that a hole holds back. */
  let held: (() => void)[] = []
  const forget = (socket: Socket) => {
    sockets.delete(socket)
    socket.destroy()
  }
  const orLater = (work: () => void) => {
    if (mode === 'hole') held.push(work)
    else work()
  }
  const join = (from: Socket, into: Socket) => {
    from.on('data', (bytes) => orLater(() => into.write(bytes)))
    from.on('end', () => orLater(() => into.end()))
    from.on('error', () => {})
    from.on('close', () => orLater(() => forget(into)))
  }
  const server = createServer((near) => {
    if (mode === 'refuse') return near.resetAndDestroy()
    const far = dial(target, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket)
    join(near, far)
    join(far, near)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
  }
  const turn = (to: Mode) => {
    mode = to
    if (to === 'hole') return
    const due = held
    held = []
    for (const work of due) work()
    if (to === 'refuse') reset()
  }
  return {
    port: (server.address() as { port: number }).port,
    to(port) {
      target = port
    },
    hole: () => turn('hole'),
    refuse: () => turn('refuse'),
    pass: () => turn('pass'),
    reset,
    async close() {
      turn('refuse')
      await new Promise((done) => server.close(done))
    },
  }
}
