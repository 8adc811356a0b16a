import { createServer, connect as dial, type Socket } from 'node:net'

export interface TcpProxy {
  port: number
  /** Forwards new connections to this port. */
  to(port: number): void
  /** Delays all data and disconnects until `pass`. */
  hole(): void
  /** Closes all connections and refuses new ones until `pass`. */
  refuse(): void
  pass(): void
  reset(): void
  /**
   * Closes a connection at the n-th PostgreSQL message of clients with these values of `application_name`. With `answered`, the server
   * processes the message and only its response is lost. The returned function returns true once the connection was cut.
   */
  cut(at: { names: readonly string[]; message: number; answered: boolean }): () => boolean
  close(): Promise<void>
}

/** PostgreSQL message type of authentication data. */
const PASSWORD = 'p'.charCodeAt(0)

export async function startProxy(target: number): Promise<TcpProxy> {
  type Mode = 'pass' | 'hole' | 'refuse'
  let mode: Mode = 'pass'
  const sockets = new Set<Socket>()
  /** Delayed in `hole` mode. */
  let delayedDisconnects: (() => void)[] = []
  const forget = (socket: Socket) => {
    sockets.delete(socket)
    socket.destroy()
  }
  const orLater = (work: () => void) => {
    if (mode === 'hole') delayedDisconnects.push(work)
    else work()
  }
  let cut: { names: readonly string[]; message: number; answered: boolean; done: boolean } | null = null
  const names = new WeakMap<Socket, string>()
  /** Returns true if this client message must cut the connection. */
  const isDue = (near: Socket, bytes: Buffer): boolean => {
    // Do not count startup and password messages. The startup message contains the client's name.
    if (!names.has(near)) {
      names.set(near, /application_name\0([^\0]*)/.exec(bytes.toString('latin1'))?.[1] ?? '')
      return false
    }
    if (!cut || cut.done || bytes[0] === PASSWORD || !cut.names.includes(names.get(near)!)) return false
    cut.done = --cut.message === 0
    return cut.done
  }
  const end = (near: Socket, far: Socket) => {
    for (const socket of [near, far]) {
      sockets.delete(socket)
      socket.resetAndDestroy()
    }
  }
  const join = (from: Socket, into: Socket, isNear: boolean) => {
    from.on('data', (bytes) => {
      if (!isNear || !isDue(from, bytes)) return orLater(() => into.write(bytes))
      if (!cut!.answered) return end(from, into)
      into.removeAllListeners('data')
      into.once('data', () => end(from, into))
      into.write(bytes)
    })
    from.on('end', () => orLater(() => into.end()))
    from.on('error', () => {})
    from.on('close', () => orLater(() => forget(into)))
  }
  const server = createServer((near) => {
    if (mode === 'refuse') return near.resetAndDestroy()
    const far = dial(target, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket)
    join(near, far, true)
    join(far, near, false)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const reset = () => {
    for (const socket of sockets) socket.resetAndDestroy()
    sockets.clear()
  }
  const turn = (to: Mode) => {
    mode = to
    if (to === 'hole') return
    const due = delayedDisconnects
    delayedDisconnects = []
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
    cut(at) {
      const armed = { ...at, done: false }
      cut = armed
      return () => armed.done
    },
    async close() {
      turn('refuse')
      await new Promise((done) => server.close(done))
    },
  }
}
