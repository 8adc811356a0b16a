import { Socket } from 'node:net'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

/**
 * Preloaded into a server (`node --import`): kills it as `kill -9` does at the n-th moment after it is armed, where a moment is
 * just before or just after anything that the world outside can notice: a query, a commit, a call to the node, an answer.
 * Between two such moments no line of code has an effect outside, so going through all of them is going through every line.
 *
 * CRASH_AT: n. CRASH_FROM: `signal` (armed by SIGUSR2), or the name of an RPC method (armed by its first call).
 */
const at = Number(process.env.CRASH_AT)
const from = process.env.CRASH_FROM
// All threads of the server count together.
if (isMainThread) setEnvironmentData('crash-at', new SharedArrayBuffer(8))
const shared = new Int32Array(getEnvironmentData('crash-at') as SharedArrayBuffer)
const [ARMED, MOMENTS] = [0, 1]
const isArmed = () => Atomics.load(shared, ARMED) === 1
const arm = () => Atomics.store(shared, ARMED, 1)

function moment(): void {
  if (isArmed() && Atomics.add(shared, MOMENTS, 1) + 1 === at) process.kill(process.pid, 'SIGKILL')
}

if (isMainThread)
  process.on('SIGUSR2', () => {
    if (from === 'signal') arm()
  })

const { fetch } = globalThis
globalThis.fetch = async (input, init) => {
  // Blocks come by REST where the node offers them so.
  const asks =
    String(init?.body).includes(`"method":"${from}"`) ||
    (from === 'getblock' && String(input).includes('/rest/block/'))
  if (from !== 'signal' && asks) arm()
  moment()
  const response = await fetch(input, init)
  moment()
  return response
}

const { write } = Socket.prototype
Socket.prototype.write = function (this: Socket, ...args: Parameters<typeof write>) {
  moment()
  const done = write.apply(this, args)
  // After the kernel has it: the other side gets to see it, the server does not.
  if (isArmed()) setImmediate(moment)
  return done
} as typeof write
