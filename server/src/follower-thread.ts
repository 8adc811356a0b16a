import { parentPort, workerData } from 'node:worker_threads'
import { type FollowOptions, follow } from './follow.ts'

/** Messages to the thread. */
export type Asked = { type: 'sync'; id: number } | { type: 'close' }
/** Messages from the thread. */
export type Told =
  | { type: 'progress'; height: number; target: number }
  | { type: 'synced'; id: number; height: number }
  | { type: 'failed'; id: number; error: unknown }

/** The follower's thread: reading, parsing and writing blocks takes no time of the thread that answers requests. */
const port = parentPort!
const tell = (told: Told) => port.postMessage(told)
const following = follow(workerData as FollowOptions, (height, target) =>
  tell({ type: 'progress', height, target }),
)
port.on('message', async (asked: Asked) => {
  if (asked.type === 'close') {
    await following.close()
    port.close()
    return
  }
  const { id } = asked
  await following.sync().then(
    (height) => tell({ type: 'synced', id, height }),
    (error: unknown) => tell({ type: 'failed', id, error }),
  )
})
