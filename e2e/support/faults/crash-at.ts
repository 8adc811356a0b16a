import { Socket } from 'node:net'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

/**
 * Preloaded into a server (`node --import`). Kills the process at the n-th moment after it is armed. Moments are just before and after
 * externally visible actions: queries, commits, calls to the node, responses. Code between two moments has no external effect, so testing
 * all moments covers a crash at any line. CRASH_AT: n. CRASH_FROM: `signal` (armed by SIGUSR2), an RPC method (armed by its first call), or
 * `query:TEXT` (armed by the first query with this text).
 * CRASH_POSTGRES: the pid of a PostgreSQL to stop immediately instead of the process.
 */
const at = Number(process.env.CRASH_AT)
const from = process.env.CRASH_FROM
const postgres = Number(process.env.CRASH_POSTGRES ?? 0)
// All threads share the counter.
if (isMainThread) setEnvironmentData('crash-at', new SharedArrayBuffer(8))
const shared = new Int32Array(getEnvironmentData('crash-at') as SharedArrayBuffer)
const [ARMED, MOMENTS] = [0, 1]
const isArmed = () => Atomics.load(shared, ARMED) === 1
const arm = () => Atomics.store(shared, ARMED, 1)

function moment(): void {
  if (!isArmed() || Atomics.add(shared, MOMENTS, 1) + 1 !== at) return
  if (postgres > 0) process.kill(postgres, 'SIGQUIT')
  else process.kill(process.pid, 'SIGKILL')
}

if (isMainThread)
  process.on('SIGUSR2', () => {
    if (from === 'signal') arm()
  })

const { fetch } = globalThis
globalThis.fetch = async (input, init) => {
  // The server fetches blocks by REST if the node supports it.
  const asks =
    String(init?.body).includes(`"method":"${from}"`) ||
    (from === 'getblock' && String(input).includes('/rest/block/'))
  if (from !== 'signal' && asks) arm()
  moment()
  const response = await fetch(input, init)
  moment()
  return response
}

const query = from?.startsWith('query:') ? from.slice('query:'.length) : null
const { write } = Socket.prototype
Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
  if (query !== null && !isArmed() && Buffer.from(args[0] as string | Uint8Array).includes(query)) arm()
  moment()
  const done = write.apply(this, args)
  // Crash after the data is sent: the recipient gets it, but the server does not continue.
  if (isArmed()) setImmediate(moment)
  return done
} as typeof write
