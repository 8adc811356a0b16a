import { parentPort, workerData } from 'node:worker_threads'
import { openSource } from '../node/open-source.ts'
import { buffersOf, type FromBlockThread, readCommitted } from './block-reader.ts'

/** Reads blocks by hash in a worker thread of the follower, and transfers them. */
const port = parentPort!
const node = openSource(workerData as string)

port.on('message', async (hash: string) => {
  const layout = await readCommitted(node, hash).then(
    (block) => block.layout,
    () => null,
  )
  const message: FromBlockThread = { hash, layout }
  port.postMessage(message, layout ? buffersOf(layout) : [])
})
