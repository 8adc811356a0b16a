import { createServer, connect as dial, type Socket } from 'node:net'

/** A TCP proxy before a server, which can fail as networks do. */
export interface TcpProxy {
  port: number
  /** Sends new connections to this port from now on. */
  to(port: number): void
  /** Swallows everything, the ends of connections too, until `pass`: then what was held back is delivered. */
  hole(): void
  /** Ends every connection and refuses new ones until `pass`. */
  refuse(): void
  pass(): void
  /** Ends every connection as a router does that lost its state. */
  reset(): void
  /**
   * Ends one connection at one of the messages that clients of these names (`application_name`) send, counted from now on: before
   * the server gets it, or once the server has answered, so that the answer alone is lost. Gives whether that has come.
   */
  cut(at: { names: readonly string[]; message: number; answered: boolean }): () => boolean
  close(): Promise<void>
}

/** The type of PostgreSQL's message that proves who a client is. */
const PASSWORD = 'p'.charCodeAt(0)

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
  let cut: { names: readonly string[]; message: number; answered: boolean; done: boolean } | null = null
  const names = new WeakMap<Socket, string>()
  /** True where this message of a client is the one to cut at. */
  const isDue = (near: Socket, bytes: Buffer): boolean => {
    // The first message of a connection names its client, and is no statement; nor is one of its password.
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
