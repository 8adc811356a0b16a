import { parentPort, workerData } from 'node:worker_threads'
import { startTraces } from '@ordbook/db/process/traces.ts'
import { follow, type MarketFollowOptions } from './follow.ts'

export type ToThread = { type: 'sync'; id: number } | { type: 'wake' } | { type: 'close' }
export type FromThread =
  | { type: 'progress'; height: number; target: number }
  | { type: 'synced'; id: number; height: number }
  | { type: 'failed'; id: number; error: unknown }

/** Runs the follower in a worker thread, because processing blocks would delay requests. */
const port = parentPort!
const send = (message: FromThread) => port.postMessage(message)
const options = workerData as MarketFollowOptions
const endTraces = await startTraces(options.config)
const following = follow(options, (height, target) => send({ type: 'progress', height, target }))
port.on('message', async (message: ToThread) => {
  if (message.type === 'close') {
    await following.close()
    await endTraces()
    port.close()
    return
  }
  if (message.type === 'wake') return following.wake()
  const { id } = message
  await following.sync().then(
    (height) => send({ type: 'synced', id, height }),
    (error: unknown) => send({ type: 'failed', id, error }),
  )
})
